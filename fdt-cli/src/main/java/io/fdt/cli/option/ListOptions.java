package io.fdt.cli.option;

import java.util.List;

/** The options of {@code ls}, in the order of its help. */
public final class ListOptions {
    private static final Section LISTING = new Section("What to list", true);

    public static final Option LONG = LISTING.toggle("-l, --long", "mode, size, time (UTC) and link target, too");
    public static final Option READABLE = LISTING.toggle(
            "--human-readable", "with -l: sizes as 1.5 MiB; -h is the same if it is not the only argument");
    public static final Option RECURSIVE = LISTING.toggle("-R, --recursive", "list recursively");
    public static final Option SPACE = LISTING.toggle(
            "--space", "then the free space and inodes, and what unfinished copies occupy in the listed directories");

    public static final List<Option> ALL =
            Option.together(List.of(LONG, READABLE, RECURSIVE, SPACE), FileOptions.OF_ALL);

    private ListOptions() {}
}
