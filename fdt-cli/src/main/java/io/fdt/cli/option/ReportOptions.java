package io.fdt.cli.option;

import java.util.List;

public final class ReportOptions {
    private static final Section WHAT = new Section("What to show", false);

    public static final Option REPORT =
            WHAT.value("--report FILE", "write the report to this file: a page for .html, a picture for .svg");
    public static final Option COMPARE =
            WHAT.list("--compare NAME", "also plot these: published figures, or another result file; may be repeated");
    public static final Option LIST = WHAT.toggle("--list", "list the published figures with their hardware");

    public static final List<Option> ALL = List.of(REPORT, COMPARE, LIST, GivenOptions.VERBOSE, CommonOptions.HELP);

    private ReportOptions() {}
}
