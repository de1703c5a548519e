package io.fdt.cli.nettest;

import io.fdt.cli.command.Context;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.UserText;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The suites that the command knows by name, the default first: which options each has, and what they make. */
enum NettestSuite {
    THROUGHPUT,
    SWEEP,
    LATENCY,
    RPC,
    OBJECTS,
    LOAD;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static List<String> words() {
        return List.of(values()).stream().map(NettestSuite::word).toList();
    }

    static @Nullable NettestSuite of(String word) {
        for (NettestSuite suite : values()) {
            if (suite.word().equals(word)) {
                return suite;
            }
        }
        return null;
    }

    /** The suite that the first of these words names, or else the default. */
    static NettestSuite asked(List<String> words) {
        NettestSuite named = words.isEmpty() ? null : of(words.get(0));
        return named == null ? THROUGHPUT : named;
    }

    /** The options of this suite that not every suite has. */
    List<Option> options() {
        return switch (this) {
            case THROUGHPUT -> ThroughputRequest.OPTIONS;
            case SWEEP -> SweepRequest.OPTIONS;
            case LATENCY -> LatencyRequest.OPTIONS;
            case RPC -> RpcRequest.OPTIONS;
            case OBJECTS -> ObjectsRequest.OPTIONS;
            case LOAD -> LoadRequest.OPTIONS;
        };
    }

    /** Makes the plan out of the arguments. */
    NettestPlan plan(NettestPath path, Settings settings, Context context) {
        return switch (this) {
            case THROUGHPUT -> ThroughputRequest.plan(path, settings, context);
            case SWEEP -> SweepRequest.plan(path, settings);
            case LATENCY -> LatencyRequest.plan(path, settings);
            case RPC -> RpcRequest.plan(path, settings);
            case OBJECTS -> ObjectsRequest.plan(path, settings);
            case LOAD -> LoadRequest.plan(path, settings);
        };
    }

    /** An option that only other suites have does not do what whoever wrote it hopes for. */
    void refuseForeign(GivenArguments given) {
        for (NettestSuite other : values()) {
            for (Option option : other.options()) {
                if (given.has(option) && !options().contains(option)) {
                    throw UserText.refusal(option.name() + " is not an option of the network test " + word()
                            + "; it applies to " + other.word());
                }
            }
        }
    }
}
