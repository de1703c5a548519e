package io.fdt.cli.option;

import java.util.List;

/** The options of {@code ls}, in the order of its help. */
public final class ListOptions {
    private static final String LISTING = "What to list";

    public static final Option LONG = Option.toggle("--long", false, "mode, size, time (UTC) and link target, too")
            .shortName("-l")
            .in(LISTING);
    public static final Option RECURSIVE = Option.toggle("--recursive", false, "everything below, too")
            .shortName("-R")
            .in(LISTING);
    public static final Option SPACE = Option.toggle(
                    "--space",
                    false,
                    "then the free space and inodes, and what unfinished copies occupy in the listed directories")
            .in(LISTING);

    public static final List<Option> ALL = List.of(
            LONG,
            RECURSIVE,
            SPACE,
            ClientOptions.SSH,
            ClientOptions.REMOTE_COMMAND,
            CommonOptions.IO,
            CommonOptions.TIMEOUT,
            CommonOptions.JSON,
            CommonOptions.VERBOSE,
            CommonOptions.HELP);

    private ListOptions() {}
}
