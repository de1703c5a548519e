package io.fdt.cli.option;

import java.util.List;

public final class MonitorCommandOptions {
    /** The default port of the page. */
    public static final int PORT = 27322;

    public static final Option MONITOR = MonitorOptions.MONITOR.preset("127.0.0.1:" + PORT);
    public static final Option JSON =
            CommonOptions.OUTPUT.toggle("--json", "print the address of the page as JSON to stdout");

    public static final Option REPLAY = MonitorOptions.SECTION_ONCE.value(
            "--replay FILE", "show a recording made by --record, at any point in time, instead of this host");

    public static final List<Option> ALL = Option.together(
            List.of(MONITOR),
            MonitorOptions.WATCHERS,
            List.of(MonitorOptions.ALLOW, REPLAY, MonitorOptions.TUI, JSON),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.HELP));

    private MonitorCommandOptions() {}
}
