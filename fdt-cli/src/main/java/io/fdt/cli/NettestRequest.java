package io.fdt.cli;

import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.wire.NettestMessage.Receive;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A checked {@code nettest} command: what the engine is to do and how it is to be shown. */
record NettestRequest(
        NettestPlan plan,
        boolean viaEngine,
        NetworkOptions network,
        boolean json,
        @Nullable Path csv,
        boolean verbose,
        boolean quiet) {
    /** Every suite that the command knows by name; the first is the default. */
    static final List<String> SUITES = List.of("throughput", "sweep", "latency", "rpc", "objects", "load");

    private static final String FORM = "fdt nettest [SUITE] [OPTION…] HOST[:PORT]";
    private static final int MAX_STREAMS = 64;

    /** Reads and checks everything; opens nothing. */
    static NettestRequest of(GivenArguments given, Settings settings, Context context) {
        boolean viaEngine = settings.word(NettestOptions.VIA).equals("engine");
        // Files are never copied in the clear unless somebody says so.
        boolean clear = !settings.on(NettestOptions.TLS) && (!viaEngine || given.has(NettestOptions.TLS));
        NettestPlan plan = plan(server(given.operands()), clear, settings, context);
        if (viaEngine && plan.direction() == Direction.BOTH) {
            throw UserText.refusal("a copy goes one way; leave --bidir or --via engine out");
        }
        return new NettestRequest(
                plan,
                viaEngine,
                NetworkSettings.tests(settings),
                settings.on(NettestOptions.JSON),
                settings.find(NettestOptions.CSV, NettestRequest::file),
                settings.on(NettestOptions.VERBOSE),
                settings.on(CommonOptions.QUIET));
    }

    private static HostPort server(List<String> operands) {
        boolean suiteGiven = !operands.isEmpty() && SUITES.contains(operands.get(0));
        if (suiteGiven && !operands.get(0).equals(SUITES.get(0))) {
            throw UserText.refusal(
                    "this release has the network test throughput only, not " + operands.get(0) + "; leave it out");
        }
        List<String> hosts = suiteGiven ? operands.subList(1, operands.size()) : operands;
        if (hosts.size() != 1) {
            throw UserText.refusal(
                    (hosts.isEmpty() ? "no server to measure against" : "more than one server") + "; write " + FORM);
        }
        try {
            return HostPort.parse(hosts.get(0));
        } catch (BadValueException e) {
            throw UserText.refusal(UserText.quoted(hosts.get(0)) + ": " + e.expected());
        }
    }

    private static NettestPlan plan(HostPort server, boolean clear, Settings settings, Context context) {
        boolean reverse = settings.on(NettestOptions.REVERSE);
        boolean both = settings.on(NettestOptions.BIDIR);
        if (reverse && both) {
            throw UserText.refusal("--bidir measures both ways already; leave --reverse out");
        }
        List<InetAddress> bind = settings.find(ClientOptions.BIND, ClientRequest::addresses);
        return new NettestPlan(
                server.host(),
                server.port(),
                settings.get(NettestOptions.STREAMS, text -> streams(text, context.cores())),
                both ? Direction.BOTH : reverse ? Direction.IN : Direction.OUT,
                settings.get(NettestOptions.DURATION, Times.betweenMs(100, 86_400_000)),
                settings.get(NettestOptions.BLOCK, Sizes.between(4 << 10, 16 << 20))
                        .intValue(),
                settings.choice(NettestOptions.RECEIVE, Receive.class),
                clear,
                bind == null ? List.of() : bind,
                NetworkSettings.timeoutMs(settings));
    }

    static int streams(String text, int cores) throws BadValueException {
        if (text.equals("auto")) {
            return ClientRequest.lanes(text, cores);
        }
        try {
            return Words.number(1, MAX_STREAMS).parse(text);
        } catch (BadValueException e) {
            throw new BadValueException(e.expected() + ", nor auto");
        }
    }

    private static Path file(String text) throws BadValueException {
        try {
            if (!text.isEmpty()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            throw new BadValueException("not a path: " + e.getReason());
        }
        throw new BadValueException("an empty name; write a FILE");
    }
}
