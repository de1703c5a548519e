package io.fdt.cli.nettest;

import io.fdt.cli.command.Context;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.SizeList;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UnitTable;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.ValueParser;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.wire.Bounds;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The options of each suite, and the plan that they produce. */
final class SuitePlans {
    private static final int MAX_SERVERS = 32;
    private static final int MAX_STEPS = 64;
    private static final int MAX_POOLS = 16;
    private static final String RANGE = "..";
    private static final Map<String, Integer> UNITS = Map.of("", 1, "k", 1_000, "K", 1_000, "M", 1_000_000);

    /** The options that set a value, for all suites that have it; {@code read} returns the plan with the value. */
    private record Taken<T>(PlanValue<T> value, List<Option> options, Reader read) {
        /** Keeps the default if the option was not given. */
        static <T> Taken<T> of(PlanValue<T> value, Option option, ValueParser<T> parser) {
            return new Taken<>(value, List.of(option), (plan, settings, cores) -> {
                T given = settings.find(option, parser);
                return given == null ? plan : plan.with(value, given);
            });
        }

        static Taken<Integer> number(PlanValue<Integer> value, Option option) {
            return of(value, option, Words.number(value.min(), value.max()));
        }

        static Taken<Integer> size(PlanValue<Integer> value, Option option) {
            ValueParser<Long> parser = Sizes.between(value.min(), value.max());
            return of(value, option, text -> parser.parse(text).intValue());
        }

        static Taken<Boolean> flag(PlanValue<Boolean> value, Option option) {
            return new Taken<>(
                    value, List.of(option), (plan, settings, cores) -> plan.with(value, settings.on(option)));
        }

        static <E extends Enum<E>> Taken<E> choice(PlanValue<E> value, Option option, Class<E> type) {
            return new Taken<>(
                    value, List.of(option), (plan, settings, cores) -> plan.with(value, settings.choice(option, type)));
        }

        boolean isOf(Suite suite) {
            return suite.values().contains(value);
        }
    }

    private interface Reader {
        NettestPlan into(NettestPlan plan, Settings settings, int cores);
    }

    private static final List<Taken<?>> TAKEN = List.of(
            new Taken<>(PlanValue.STREAMS, List.of(NettestOptions.STREAMS), SuitePlans::streams),
            new Taken<>(
                    PlanValue.DIRECTION, List.of(NettestOptions.REVERSE, NettestOptions.BIDIR), SuitePlans::direction),
            Taken.size(PlanValue.BLOCK_BYTES, NettestOptions.BLOCK),
            Taken.choice(PlanValue.RECEIVE, NettestOptions.RECEIVE, Receive.class),
            Taken.number(PlanValue.MESSAGES, NettestOptions.MESSAGES),
            Taken.number(PlanValue.ITERATIONS, NettestOptions.ITERATIONS),
            Taken.flag(PlanValue.BUSY_POLL, NettestOptions.BUSY_POLL),
            Taken.size(PlanValue.REQUEST_BYTES, NettestOptions.REQUEST),
            Taken.number(PlanValue.CONCURRENT, NettestOptions.CONCURRENT),
            new Taken<>(PlanValue.OTHER_SERVERS, List.of(NettestOptions.SERVERS), SuitePlans::servers),
            Taken.choice(PlanValue.OP, NettestOptions.OP, Op.class),
            Taken.choice(PlanValue.DURABLE, NettestOptions.DURABLE, Durable.class),
            new Taken<>(PlanValue.READS, List.of(NettestOptions.READS), SuitePlans::reads),
            Taken.number(PlanValue.KEY_BYTES, NettestOptions.KEY),
            Taken.of(PlanValue.OBJECTS, NettestOptions.OBJECTS, SuitePlans::objects),
            Taken.flag(PlanValue.KEEP, NettestOptions.KEEP),
            Taken.size(PlanValue.SIZE_BYTES, NettestOptions.SIZE),
            Taken.of(PlanValue.OFFERED, NettestOptions.OFFERED, SuitePlans::offered),
            Taken.of(PlanValue.RX_BUFFERS, NettestOptions.RX_BUFFERS, SuitePlans::buffers),
            Taken.of(PlanValue.TX_BUFFERS, NettestOptions.TX_BUFFERS, SuitePlans::buffers),
            new Taken<>(
                    PlanValue.DURATION,
                    List.of(NettestOptions.DURATION),
                    (plan, settings, cores) -> time(
                            plan,
                            PlanValue.DURATION,
                            settings,
                            NettestOptions.DURATION,
                            plan.suite().maxDurationMs())),
            new Taken<>(
                    PlanValue.WARM_UP,
                    List.of(NettestOptions.WARM_UP),
                    (plan, settings, cores) ->
                            time(plan, PlanValue.WARM_UP, settings, NettestOptions.WARM_UP, PlanValue.WARM_UP.max())),
            new Taken<>(PlanValue.SIZES, List.of(NettestOptions.SIZES), (plan, settings, cores) -> {
                List<Integer> sizes = settings.find(
                        NettestOptions.SIZES,
                        text -> SizeList.parse(text, plan.suite().maxSizeBytes()));
                return sizes == null ? plan : plan.with(PlanValue.SIZES, sizes);
            }),
            new Taken<>(
                    PlanValue.MODES, List.of(NettestOptions.BLOCKING, NettestOptions.NONBLOCKING), SuitePlans::modes),
            new Taken<>(PlanValue.SWITCH_AT, List.of(NettestOptions.SWITCH_AT), SuitePlans::switchAt),
            new Taken<>(PlanValue.QUEUES, List.of(NettestOptions.QP, NettestOptions.INLINE), SuitePlans::queues));

    private SuitePlans() {}

    static List<String> words() {
        return Suites.ALL.stream().map(Suite::name).toList();
    }

    static Optional<Suite> named(List<String> words) {
        return words.isEmpty() ? Optional.empty() : Suites.named(words.get(0));
    }

    /** The name in the help of a setting of a result; the setting itself if the help has it under several names. */
    static String optionName(String setting) {
        return TAKEN.stream()
                .filter(taken -> taken.value().toString().equals(setting)
                        && taken.options().size() == 1)
                .map(taken -> taken.options().get(0).name())
                .findFirst()
                .orElse(
                        setting.equals("tls")
                                ? NettestOptions.TLS.name()
                                : setting.equals("bind") ? ClientOptions.BIND.name() : setting);
    }

    /** The options of this suite that not all suites have. */
    private static List<Option> options(Suite suite) {
        List<Option> options = new ArrayList<>();
        if (suite.isOfStreams()) {
            options.add(NettestOptions.VIA);
        }
        if (suite.hasHistograms()) {
            options.addAll(List.of(NettestOptions.HISTOGRAM, NettestOptions.HDR));
        }
        TAKEN.stream().filter(taken -> taken.isOf(suite)).forEach(taken -> options.addAll(taken.options()));
        return options;
    }

    /** Returns the options that have an effect in this suite. */
    static List<Option> helpful(Suite suite) {
        List<Option> own = options(suite);
        List<Option> ofSome =
                Suites.ALL.stream().flatMap(each -> options(each).stream()).toList();
        return NettestOptions.ALL.stream()
                .filter(option -> own.contains(option) || !ofSome.contains(option))
                .toList();
    }

    /** An option of other suites would have no effect. */
    static void refuseForeign(Suite suite, GivenArguments given) {
        if (!given.has(NettestOptions.QP) && !given.has(NettestOptions.READS)) {
            given.refuse(List.of(RdmaOptions.MTU), " applies to queue pairs; add --qp or --reads rdma");
        }
        for (Suite other : Suites.ALL) {
            for (Option option : options(other)) {
                if (given.has(option) && !options(suite).contains(option)) {
                    throw UserText.refusal(option.name() + " is not an option of the network test " + suite.name()
                            + "; it applies to " + other.name());
                }
            }
        }
    }

    static NettestPlan plan(Suite suite, NettestPath path, Settings settings, Context context) {
        if (suite.isClearOnly() && !path.clear()) {
            throw UserText.refusal("the network test " + suite.name() + " measures clear lanes only; leave --tls out");
        }
        NettestPlan plan = NettestPlan.of(suite, path);
        for (Taken<?> each : TAKEN) {
            if (each.isOf(suite)) {
                plan = each.read().into(plan, settings, context.cores());
            }
        }
        suite.check(plan);
        return plan;
    }

    // ---- Values that are more than one word of one option.

    private static NettestPlan time(
            NettestPlan plan, PlanValue<Integer> value, Settings settings, Option option, int most) {
        return plan.with(
                value, settings.get(option, Times.betweenMs(value.min(), most)).intValue());
    }

    private static NettestPlan streams(NettestPlan plan, Settings settings, int cores) {
        return plan.with(
                PlanValue.STREAMS,
                settings.get(
                        NettestOptions.STREAMS,
                        text -> LaneCount.orAuto(
                                text,
                                PlanValue.STREAMS.max(),
                                LaneRange.auto(cores).start())));
    }

    private static NettestPlan direction(NettestPlan plan, Settings settings, int cores) {
        boolean reverse = settings.on(NettestOptions.REVERSE);
        boolean both = settings.on(NettestOptions.BIDIR);
        if (reverse && both) {
            throw UserText.refusal("--bidir already measures both ways; leave --reverse out");
        }
        return plan.with(PlanValue.DIRECTION, both ? Direction.BOTH : reverse ? Direction.IN : Direction.OUT);
    }

    private static NettestPlan modes(NettestPlan plan, Settings settings, int cores) {
        boolean blocking = settings.on(NettestOptions.BLOCKING);
        return blocking == settings.on(NettestOptions.NONBLOCKING)
                ? plan
                : plan.with(PlanValue.MODES, List.of(blocking ? Mode.BLOCKING : Mode.NONBLOCKING));
    }

    private static NettestPlan switchAt(NettestPlan plan, Settings settings, int cores) {
        if (!settings.isPreset(NettestOptions.SWITCH_AT) && plan.path().carrier() != Carrier.RDMA) {
            throw UserText.refusal("--switch-at applies only to --transport rdma, where small and large messages"
                    + " are sent differently; leave it out");
        }
        return Taken.size(PlanValue.SWITCH_AT, NettestOptions.SWITCH_AT).read().into(plan, settings, cores);
    }

    private static NettestPlan queues(NettestPlan plan, Settings settings, int cores) {
        String pair = settings.find(
                NettestOptions.QP, Words.among(NettestOptions.QP.value().words()));
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
        return plan.with(PlanValue.BUSY_POLL, true)
                .with(
                        PlanValue.QUEUES,
                        new QueueUse(pair.equals("ud") ? QueueKind.DATAGRAM : QueueKind.RELIABLE, inlineBytes));
    }

    private static NettestPlan reads(NettestPlan plan, Settings settings, int cores) {
        Reads reads = settings.choice(NettestOptions.READS, Reads.class);
        if (reads == Reads.RDMA && plan.path().carrier() != Carrier.RDMA) {
            throw UserText.refusal("--reads rdma needs lanes over RDMA; add --transport rdma");
        }
        return plan.with(PlanValue.READS, reads);
    }

    private static NettestPlan servers(NettestPlan plan, Settings settings, int cores) {
        NettestPath path = plan.path();
        List<HostPort> others =
                settings.find(NettestOptions.SERVERS, text -> others(new HostPort(path.host(), path.port()), text));
        if (others == null) {
            return plan;
        }
        List<NettestPath> paths = others.stream()
                .map(other -> path.to(other.host(), other.port()))
                .toList();
        return plan.with(PlanValue.OTHER_SERVERS, paths)
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
        requireAtMost(MAX_SERVERS, servers, "servers");
        return servers.subList(1, servers.size());
    }

    private static int objects(String text) throws BadValueException {
        return text.equals("auto")
                ? 0
                : Words.number(PlanValue.OBJECTS.min(), PlanValue.OBJECTS.max()).parse(text);
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

    private static List<Integer> buffers(String text) throws BadValueException {
        List<Integer> buffers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int count = Words.number(1, PlanValue.MAX_BUFFERS).parse(part);
            if (buffers.contains(count)) {
                throw new BadValueException(count + " occurs twice");
            }
            buffers.add(count);
        }
        requireAtMost(MAX_POOLS, buffers, "pools");
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
        requireAtMost(MAX_STEPS, offered, "steps");
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
