package io.fdt.cli.nettest;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code nettest SUITE --help}: one network test with its options only. */
final class SuiteHelp extends Command {
    private static final Map<String, String> ABOUT = Map.of(
            "throughput",
            """
            throughput, the default, sends as much as it can over parallel streams, without files and hashes, and
            without encryption unless --tls is given. The result has the rate of each way and each stream, retransmits
            and round-trip times, what kept the cores of both hosts busy, the CPU time per gigabyte, and a verdict with
            its evidence.""",
            "sweep",
            "sweep streams messages of each size and waits for one acknowledgement of all of them.",
            "latency",
            "latency sends a message there and back, waits for it, and reports the round-trip time.",
            "rpc",
            """
            rpc sends a short request, waits for an answer, and reports the time for each size of the answer.""",
            "objects",
            """
            objects reads or writes small random objects in the server's memory, with --durable log also in a log on its
            disk. It reports operations per second and their latencies for every size.""",
            "load",
            """
            load offers requests at a rising rate, whether or not the server keeps up, with buffer pools of several
            sizes. It reports throughput, latencies from the time when each request was due, completions per poll, and
            which buffers ran out.""");

    private final NettestCommand nettest;
    private final Suite suite;

    private SuiteHelp(NettestCommand nettest, Suite suite) {
        super("nettest " + suite.name(), summary(suite.name()), "HOST[:PORT]");
        this.nettest = nettest;
        this.suite = suite;
    }

    static List<Command> all(NettestCommand nettest) {
        return Suites.ALL.stream()
                .<Command>map(suite -> new SuiteHelp(nettest, suite))
                .toList();
    }

    private static String summary(String suite) {
        return switch (suite) {
            case "throughput" -> "bytes a second over parallel streams (the default)";
            case "sweep" -> "bandwidth by the size of messages";
            case "latency" -> "round-trip times";
            case "rpc" -> "requests with answers of several sizes";
            case "objects" -> "reads and writes of small objects held by the server";
            case "load" -> "latency under a rising load";
            default -> throw new IllegalStateException("no summary of the suite " + suite);
        };
    }

    /** Returns a paragraph about each suite. */
    static String ofAll() {
        return String.join("\n\n", Suites.ALL.stream().map(SuiteHelp::of).toList());
    }

    private static String of(Suite suite) {
        return ABOUT.getOrDefault(suite.name(), "");
    }

    @Override
    protected Help help() {
        Help help = Help.of(SuitePlans.helpful(suite)).about(of(suite));
        List<Example> ofSuite = nettest.examples().stream()
                .filter(example -> example.line().startsWith(name() + " "))
                .toList();
        Stream.concat(ofSuite.stream(), Stream.of(new Example(name() + " dtn2", "with all defaults")))
                .limit(Math.max(1, ofSuite.size()))
                .forEach(example -> help.example(example.line(), example.purpose()));
        return help;
    }

    @Override
    public int run(List<String> args, Context context) {
        return nettest.run(Stream.concat(Stream.of(suite.name()), args.stream()).toList(), context);
    }
}
