package io.fdt.cli.tune;

import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Section;
import java.util.List;

/** The options of {@code tune}. None is a setting, because changes to a kernel must be explicit on the command line. */
final class TuneOptions {
    private static final Section WHAT = new Section("What for", false);
    private static final Section WHERE = new Section("Where", false);

    static final Option NIC =
            WHAT.list("--nic NAME", "only this NIC or bond; may be repeated (default: all fast ones that are up)");
    static final Option RATE = WHAT.value("--rate RATE", "the rate to reach (default: the speed of the NICs)");
    static final Option RTT =
            WHAT.value("--rtt TIME", "round-trip time to the farthest peer, 1ms to 10s (for plan and apply: 100ms)");
    static final Option LANES = WHAT.value("-P, --lanes N", "lanes of all transfers together (default: 16)");
    static final Option STATE =
            WHERE.value("--state DIR", "/var/lib/fdt/tune", "directory where apply saves the old values for undo");
    static final Option ROOT = WHERE.value(
            "--root DIR", "/", "use a recorded host instead of this one: a directory with its proc and sys");

    static final List<Option> ALL = Option.together(
            WHAT.options(),
            WHERE.options(),
            List.of(GivenOptions.JSON, GivenOptions.QUIET, GivenOptions.VERBOSE, CommonOptions.HELP));

    private TuneOptions() {}
}
