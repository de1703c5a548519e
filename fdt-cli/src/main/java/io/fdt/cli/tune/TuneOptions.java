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
                    "--nic", "NAME", "only this NIC or bond; may be repeated (default: all fast ones that are up)")
            .commandLineOnly()
            .in(WHAT);
    static final Option RATE = Option.value(
                    "--rate", "RATE", null, "the rate to reach (default: the speed of the NICs)")
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
                    "--state", "DIR", "/var/lib/fdt/tune", "directory where apply saves the old values for undo")
            .commandLineOnly()
            .in(WHERE);
    static final Option ROOT = Option.value(
                    "--root", "DIR", "/", "use a recorded host instead of this one: a directory with its proc and sys")
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
