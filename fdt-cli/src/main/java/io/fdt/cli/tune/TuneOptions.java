package io.fdt.cli.tune;

import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Option;
import java.util.List;

/** The options of {@code tune}. None is a setting: what is written to a kernel stands on the command line. */
final class TuneOptions {
    private static final String WHAT = "What for";
    private static final String WHERE = "Where";

    static final Option NIC = Option.list(
                    "--nic", "NAME", "this NIC or bond only; may be repeated (default: all that are up and fast)")
            .commandLineOnly()
            .in(WHAT);
    static final Option RATE = Option.value(
                    "--rate", "RATE", null, "the rate to be reached (default: what the NICs can do)")
            .commandLineOnly()
            .in(WHAT);
    static final Option RTT = Option.value(
                    "--rtt",
                    "TIME",
                    null,
                    "round-trip time to the farthest peer, 1ms to 10s (for plan and apply: 100ms)")
            .commandLineOnly()
            .in(WHAT);
    static final Option LANES = Option.value("--lanes", "N", null, "lanes of all transfers together (default: 16)")
            .shortName("-P")
            .commandLineOnly()
            .in(WHAT);
    static final Option STATE = Option.value(
                    "--state", "DIR", "/var/lib/fdt/tune", "where apply keeps the old values and undo finds them")
            .commandLineOnly()
            .in(WHERE);
    static final Option ROOT = Option.value(
                    "--root", "DIR", "/", "a recorded host instead of this one: a directory with its proc and sys")
            .commandLineOnly()
            .in(WHERE);

    static final List<Option> ALL = List.of(
            NIC,
            RATE,
            RTT,
            LANES,
            STATE,
            ROOT,
            GivenOptions.JSON,
            GivenOptions.QUIET,
            GivenOptions.VERBOSE,
            CommonOptions.HELP);

    private TuneOptions() {}
}
