package io.fdt.cli.option;

import java.util.List;

/** The options of {@code nettest report}. */
public final class ReportOptions {
    private static final String WHAT = "What to show";

    public static final Option REPORT = Option.value(
                    "--report",
                    "FILE",
                    null,
                    "write the report to this file: a page for .html, a picture for .svg and .png")
            .commandLineOnly()
            .in(WHAT);
    public static final Option COMPARE = Option.list(
                    "--compare", "NAME", "also plot these: published figures, or another result file; may be repeated")
            .commandLineOnly()
            .in(WHAT);
    public static final Option LIST = Option.toggle("--list", false, "list the published figures with their hardware")
            .commandLineOnly()
            .in(WHAT);

    public static final List<Option> ALL = List.of(REPORT, COMPARE, LIST, GivenOptions.VERBOSE, CommonOptions.HELP);

    private ReportOptions() {}
}
