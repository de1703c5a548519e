package io.fdt.cli.option;

import java.util.List;

/** The options of {@code clean}, in the order of its help. */
public final class CleanOptions {
    private static final Section CLEANING = new Section("What to remove", false);

    public static final Option OLDER =
            CLEANING.value("--older TIME", "7d", "only what has not changed for this long; 0s for any age");
    public static final Option DRY_RUN = CLEANING.toggle("-n, --dry-run", "list what would be removed; remove nothing");

    public static final List<Option> ALL = Option.together(List.of(OLDER, DRY_RUN), FileOptions.OF_ALL);

    private CleanOptions() {}
}
