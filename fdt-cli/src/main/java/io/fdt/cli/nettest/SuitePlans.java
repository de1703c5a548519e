package io.fdt.cli.nettest;

import io.fdt.cli.command.Context;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.core.Figures;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.SizeList;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UnitTable;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.ValueParser;
import io.fdt.cli.value.Words;
import io.fdt.core.Word;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.DeviceQueues.Kind;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The options of each suite, and the plan that they produce. */
final class SuitePlans {
    private static final int MAX_ROUND_MS = 1_800_000;
    private static final int MOST_SERVERS = 32;
    private static final int MOST_STEPS = 64;
    private static final int MOST_POOLS = 16;
    private static final String RANGE = "..";
    private static final Map<String, Integer> UNITS = Map.of("", 1, "k", 1_000, "K", 1_000, "M", 1_000_000);

    /**
     * A plan value that an option sets; {@code read} returns null if the option was not given, which keeps the default.
     */
    private record Taken<T>(PlanValue<T> value, Option option, BiFunction<NettestPlan, Settings, @Nullable T> read) {
        static <T> Taken<T> of(PlanValue<T> value, Option option, ValueParser<T> parser) {
            return new Taken<>(value, option, (plan, settings) -> settings.find(option, parser));
        }

        static Taken<Integer> number(PlanValue<Integer> value, Option option) {
            return of(value, option, Words.number(value.least(), value.most()));
        }

        static Taken<Integer> size(PlanValue<Integer> value, Option option) {
            ValueParser<Long> parser = Sizes.between(value.least(), value.most());
            return of(value, option, text -> parser.parse(text).intValue());
        }

        static Taken<Integer> timeMs(PlanValue<Integer> value, Option option) {
            return new Taken<>(value, option, (plan, settings) -> {
                int most = plan.suite() == Suite.OBJECTS ? Math.min(MAX_ROUND_MS, value.most()) : value.most();
                return settings.get(option, Times.betweenMs(value.least(), most))
                        .intValue();
            });
        }

        static Taken<Boolean> flag(PlanValue<Boolean> value, Option option) {
            return new Taken<>(value, option, (plan, settings) -> settings.on(option));
        }

        static <E extends Enum<E>> Taken<E> choice(PlanValue<E> value, Option option, Class<E> type) {
            return new Taken<>(value, option, (plan, settings) -> settings.choice(option, type));
        }

        NettestPlan into(NettestPlan plan, Settings settings) {
            T given = plan.find(value) == null ? null : read.apply(plan, settings);
            return given == null ? plan : plan.with(value, given);
        }
    }

    private static final List<Taken<?>> TAKEN = List.of(
            Taken.size(PlanValue.BLOCK_BYTES, NettestOptions.BLOCK),
            Taken.choice(PlanValue.RECEIVE, NettestOptions.RECEIVE, Receive.class),
            Taken.number(PlanValue.MESSAGES, NettestOptions.MESSAGES),
            Taken.number(PlanValue.ITERATIONS, NettestOptions.ITERATIONS),
            Taken.flag(PlanValue.BUSY_POLL, NettestOptions.BUSY_POLL),
            Taken.size(PlanValue.REQUEST_BYTES, NettestOptions.REQUEST),
            Taken.number(PlanValue.CONCURRENT, NettestOptions.CONCURRENT),
            Taken.choice(PlanValue.OP, NettestOptions.OP, Op.class),
            Taken.choice(PlanValue.DURABLE, NettestOptions.DURABLE, Durable.class),
            Taken.choice(PlanValue.READS, NettestOptions.READS, Reads.class),
            Taken.number(PlanValue.KEY_BYTES, NettestOptions.KEY),
            Taken.of(PlanValue.OBJECTS, NettestOptions.OBJECTS, SuitePlans::objects),
            Taken.flag(PlanValue.KEEP, NettestOptions.KEEP),
            Taken.size(PlanValue.SIZE_BYTES, NettestOptions.SIZE),
            Taken.of(PlanValue.OFFERED, NettestOptions.OFFERED, SuitePlans::offered),
            Taken.of(PlanValue.RX_BUFFERS, NettestOptions.RX_BUFFERS, SuitePlans::buffers),
            Taken.of(PlanValue.TX_BUFFERS, NettestOptions.TX_BUFFERS, SuitePlans::buffers),
            Taken.timeMs(PlanValue.DURATION, NettestOptions.DURATION),
            Taken.timeMs(PlanValue.WARM_UP, NettestOptions.WARM_UP),
            new Taken<>(
                    PlanValue.SIZES,
                    NettestOptions.SIZES,
                    (plan, settings) -> settings.find(
                            NettestOptions.SIZES,
                            plan.suite() == Suite.OBJECTS ? SuitePlans::risingSizes : SizeList::parse)),
            Taken.size(PlanValue.SWITCH_AT, NettestOptions.SWITCH_AT));

    private SuitePlans() {}

    static List<String> words() {
        return Stream.of(Suite.values()).map(Word::of).toList();
    }

    /** The suite that the first of these words names. */
    static Optional<Suite> named(List<String> words) {
        return Stream.of(Suite.values())
                .filter(suite -> !words.isEmpty() && Word.of(suite).equals(words.get(0)))
                .findFirst();
    }

    /** The options of this suite that not all suites have. */
    private static List<Option> options(Suite suite) {
        List<Option> options = new ArrayList<>(
                switch (suite) {
                    case THROUGHPUT ->
                        List.of(
                                NettestOptions.STREAMS,
                                NettestOptions.REVERSE,
                                NettestOptions.BIDIR,
                                NettestOptions.VIA);
                    case SWEEP -> List.of(NettestOptions.BLOCKING, NettestOptions.NONBLOCKING);
                    case LATENCY ->
                        List.of(NettestOptions.QP, NettestOptions.INLINE, NettestOptions.HISTOGRAM, NettestOptions.HDR);
                    case RPC -> List.of(NettestOptions.SERVERS);
                    case OBJECTS, LOAD -> List.of();
                });
        NettestPlan usual = NettestPlan.of(suite, new NettestPath("", 0, true, List.of(), 0));
        TAKEN.stream().filter(taken -> usual.find(taken.value()) != null).forEach(taken -> options.add(taken.option()));
        return options;
    }

    /** An option of other suites would have no effect. */
    static void refuseForeign(Suite suite, GivenArguments given) {
        if (!given.has(NettestOptions.QP) && !given.has(NettestOptions.READS)) {
            given.refuse(List.of(RdmaOptions.MTU), " applies to queue pairs; add --qp or --reads rdma");
        }
        for (Suite other : Suite.values()) {
            for (Option option : options(other)) {
                if (given.has(option) && !options(suite).contains(option)) {
                    throw UserText.refusal(option.name() + " is not an option of the network test " + Word.of(suite)
                            + "; it applies to " + Word.of(other));
                }
            }
        }
    }

    /** Creates the plan from the arguments. */
    static NettestPlan plan(Suite suite, NettestPath path, Settings settings, Context context) {
        NettestPlan plan = NettestPlan.of(suite, path);
        if ((suite == Suite.OBJECTS || suite == Suite.LOAD) && !path.clear()) {
            throw UserText.refusal(
                    "the network test " + Word.of(suite) + " measures clear lanes only; leave --tls out");
        }
        for (Taken<?> each : TAKEN) {
            plan = each.into(plan, settings);
        }
        return switch (suite) {
            case THROUGHPUT -> throughput(plan, settings, context);
            case SWEEP -> sweep(plan, settings);
            case LATENCY -> latency(plan, settings);
            case RPC -> rpc(plan, settings);
            case OBJECTS -> objects(plan);
            case LOAD -> load(plan);
        };
    }

    // ---- Throughput.

    private static NettestPlan throughput(NettestPlan plan, Settings settings, Context context) {
        boolean reverse = settings.on(NettestOptions.REVERSE);
        boolean both = settings.on(NettestOptions.BIDIR);
        if (reverse && both) {
            throw UserText.refusal("--bidir already measures both ways; leave --reverse out");
        }
        if (both && NettestRequest.viaEngine(settings)) {
            throw UserText.refusal("a copy goes one way; leave --bidir or --via engine out");
        }
        if (plan.get(PlanValue.WARM_UP) > 0 && NettestRequest.viaEngine(settings)) {
            throw UserText.refusal("a copy has no warm-up; leave --warm-up or --via engine out");
        }
        return plan.with(
                        PlanValue.STREAMS, settings.get(NettestOptions.STREAMS, text -> streams(text, context.cores())))
                .with(PlanValue.DIRECTION, both ? Direction.BOTH : reverse ? Direction.IN : Direction.OUT);
    }

    private static int streams(String text, int cores) throws BadValueException {
        return LaneCount.orAuto(
                text, PlanValue.STREAMS.most(), LaneRange.usual(cores).start());
    }

    // ---- Sweep.

    private static NettestPlan sweep(NettestPlan plan, Settings settings) {
        if (!settings.isPreset(NettestOptions.SWITCH_AT) && plan.path().carrier() != Carrier.RDMA) {
            throw UserText.refusal("--switch-at applies only to --transport rdma, where small and large messages"
                    + " are sent differently; leave it out");
        }
        boolean blocking = settings.on(NettestOptions.BLOCKING);
        return blocking == settings.on(NettestOptions.NONBLOCKING)
                ? plan
                : plan.with(PlanValue.MODES, List.of(blocking ? Mode.BLOCKING : Mode.NONBLOCKING));
    }

    // ---- Latency.

    private static NettestPlan latency(NettestPlan plan, Settings settings) {
        String pair = settings.find(NettestOptions.QP, Words.among(NettestOptions.QP.words()));
        int inlineBytes = settings.get(NettestOptions.INLINE, Words.number(0, Bounds.MAX_INLINE_BYTES));
        if (pair == null) {
            if (!settings.isPreset(NettestOptions.INLINE)) {
                throw UserText.refusal("--inline applies to queue pairs; add --qp rc or --qp ud");
            }
            return plan;
        }
        if (plan.path().carrier() != Carrier.RDMA) {
            throw UserText.refusal("--qp needs an RDMA device; add --transport rdma");
        }
        if (plan.mostBytes() > QueueUse.MOST_MESSAGE_BYTES) {
            throw UserText.refusal("--qp supports messages of up to 4MiB; use smaller --sizes");
        }
        return plan.with(PlanValue.BUSY_POLL, true)
                .with(PlanValue.QUEUES, new QueueUse(pair.equals("ud") ? Kind.DATAGRAM : Kind.RELIABLE, inlineBytes));
    }

    // ---- Requests to several servers.

    private static NettestPlan rpc(NettestPlan plan, Settings settings) {
        NettestPath path = plan.path();
        List<HostPort> others =
                settings.find(NettestOptions.SERVERS, text -> others(new HostPort(path.host(), path.port()), text));
        if (others == null) {
            return plan;
        }
        return plan.with(
                        PlanValue.OTHER_SERVERS,
                        others.stream()
                                .map(other -> new NettestPath(
                                        other.host(),
                                        other.port(),
                                        path.clear(),
                                        path.localAddresses(),
                                        path.timeoutMs(),
                                        path.carrier()))
                                .toList())
                .with(PlanValue.CONCURRENT, Math.max(1 + others.size(), plan.get(PlanValue.CONCURRENT)));
    }

    /** The same server twice would be one server whose lanes are counted as those of two. */
    private static List<HostPort> others(HostPort first, String text) throws BadValueException {
        List<HostPort> servers = new ArrayList<>(List.of(first));
        for (String part : text.split(",", -1)) {
            HostPort server = HostPort.parse(part);
            if (servers.stream().anyMatch(server::sameAs)) {
                throw new BadValueException(server + " is named twice; name each server once");
            }
            servers.add(server);
        }
        requireAtMost(MOST_SERVERS, servers, "servers");
        return servers.subList(1, servers.size());
    }

    // ---- Objects.

    private static NettestPlan objects(NettestPlan plan) {
        if (plan.get(PlanValue.KEEP) && plan.get(PlanValue.DURABLE) != Durable.LOG) {
            throw UserText.refusal("--keep needs a log; add --durable log");
        }
        if (plan.get(PlanValue.READS) != Reads.RDMA) {
            return plan;
        }
        if (plan.get(PlanValue.OP) == Op.WRITE) {
            throw UserText.refusal("--reads applies to reads; leave --op write out");
        }
        if (plan.path().carrier() != Carrier.RDMA) {
            throw UserText.refusal("--reads rdma needs lanes over RDMA; add --transport rdma");
        }
        long objects =
                plan.get(PlanValue.SIZES).stream().mapToLong(plan::objectsOf).sum();
        if (objects > PlanValue.MAX_OBJECTS_BY_RDMA) {
            throw UserText.refusal("--reads rdma supports at most " + PlanValue.MAX_OBJECTS_BY_RDMA
                    + " objects of all sizes together, not " + objects + "; use fewer --objects or --sizes");
        }
        return plan;
    }

    private static int objects(String text) throws BadValueException {
        return text.equals("auto")
                ? 0
                : Words.number(PlanValue.OBJECTS.least(), PlanValue.OBJECTS.most())
                        .parse(text);
    }

    private static List<Integer> risingSizes(String text) throws BadValueException {
        List<Integer> sizes = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            sizes.add(Sizes.between(1, PlanValue.MAX_VALUE_BYTES).parse(word).intValue());
        }
        requireRising(sizes, "sizes must ascend; write for example 100,1KB,10KB");
        requireAtMost(PlanValue.MAX_SIZES, sizes, "sizes");
        return sizes;
    }

    private static void requireRising(List<Integer> values, String expected) throws BadValueException {
        for (int at = 1; at < values.size(); at++) {
            if (values.get(at - 1) >= values.get(at)) {
                throw new BadValueException(expected);
            }
        }
    }

    private static void requireAtMost(int most, List<?> values, String what) throws BadValueException {
        if (values.size() > most) {
            throw new BadValueException("more than " + most + " " + what);
        }
    }

    // ---- Load.

    private static NettestPlan load(NettestPlan plan) {
        long sizeBytes = plan.get(PlanValue.SIZE_BYTES);
        int buffers = Stream.concat(plan.get(PlanValue.RX_BUFFERS).stream(), plan.get(PlanValue.TX_BUFFERS).stream())
                .mapToInt(Integer::intValue)
                .max()
                .orElse(1);
        if (buffers * sizeBytes > PlanValue.MAX_POOL_BYTES) {
            throw UserText.refusal(buffers + " buffers of " + Figures.exactBytes(sizeBytes) + " are more than the "
                    + Figures.exactBytes(PlanValue.MAX_POOL_BYTES) + " that a pool may have");
        }
        int durationMs = plan.get(PlanValue.DURATION);
        if ((double) durationMs / plan.loadSteps() < PlanValue.LEAST_STEP_MS) {
            throw UserText.refusal("--duration " + Figures.exactTimeMs(durationMs) + " is too short for "
                    + plan.loadSteps() + " steps of at least " + Figures.exactTimeMs(PlanValue.LEAST_STEP_MS)
                    + " each; give it more, or measure fewer pools or loads");
        }
        return plan;
    }

    private static List<Integer> buffers(String text) throws BadValueException {
        List<Integer> buffers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int count = Words.number(1, PlanValue.MAX_BUFFERS).parse(part);
            if (buffers.contains(count)) {
                throw new BadValueException(count + " occurs twice");
            }
            buffers.add(count);
        }
        requireAtMost(MOST_POOLS, buffers, "pools");
        return buffers;
    }

    /** Ascending; empty for {@code auto}. */
    private static List<Integer> offered(String text) throws BadValueException {
        if (text.equals("auto")) {
            return List.of();
        }
        List<Integer> offered = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int dots = part.indexOf(RANGE);
            if (dots < 0) {
                offered.add(perSecond(part));
            } else {
                addDoubles(
                        offered, perSecond(part.substring(0, dots)), perSecond(part.substring(dots + RANGE.length())));
            }
        }
        requireAtMost(MOST_STEPS, offered, "steps");
        requireRising(offered, "the values must ascend; write for example 10k,20k,50k");
        return offered;
    }

    private static void addDoubles(List<Integer> offered, int from, int to) throws BadValueException {
        if (from >= to) {
            throw new BadValueException("A..B doubles from A up to B; write for example 1k..64k");
        }
        for (long each = from; each < to; each *= 2) {
            offered.add((int) each);
        }
        offered.add(to);
    }

    private static int perSecond(String text) throws BadValueException {
        int digits = UnitTable.numberLength(text);
        Integer unit = digits == 0 ? null : UNITS.get(text.substring(digits));
        Long product = unit == null ? null : UnitTable.product(text.substring(0, digits), BigDecimal.valueOf(unit));
        if (product == null || product < 1 || product > PlanValue.MAX_PER_SECOND) {
            throw new BadValueException(
                    "not a number of requests per second from 1 to 100M; write for example 20000 or 20k");
        }
        return product.intValue();
    }
}
