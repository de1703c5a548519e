package io.fdt.cli.option;

import java.util.List;

/** The options of {@code monitor}. */
public final class LiveOptions {
    public static final Option MONITOR = MonitorOptions.MONITOR.preset("127.0.0.1:27322");
    public static final Option JSON =
            Option.toggle("--json", false, "say where it is as JSON, on stdout").in(CommonOptions.OUTPUT);

    public static final Option REPLAY = Option.value(
                    "--replay", "FILE", null, "show what --record wrote, at any time of it, and not this host")
            .commandLineOnly()
            .in(MonitorOptions.SECTION);

    public static final Option TUI = Option.toggle(
                    "--tui",
                    false,
                    "show cores, queues and NICs here, on this terminal; a page only if --monitor is given")
            .commandLineOnly()
            .in(MonitorOptions.SECTION);

    public static final List<Option> ALL = Option.together(
            List.of(MONITOR),
            MonitorOptions.WATCHERS,
            List.of(REPLAY, TUI, JSON),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.HELP));

    private LiveOptions() {}
}
