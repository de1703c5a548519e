package io.fdt.cli.nettest;

import io.fdt.cli.command.Context;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.Row;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.SizeList;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UnitTable;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestValue;
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
import org.jspecify.annotations.Nullable;

/** The options of each suite, and the plan that they produce. */
final class SuitePlans {
    private static final int MAX_SERVERS = 32;
    private static final int MAX_STEPS = 64;
    private static final int MAX_POOLS = 16;
    private static final String RANGE = "..";
    private static final Map<String, Integer> UNITS = Map.of("", 1, "k", 1_000, "K", 1_000, "M", 1_000_000);

    /** What rows need besides the settings; the plan has the values of the rows before. */
    private record Asked(NettestPlan plan, int cores) {}

    private static final List<Row<?, ? super Asked>> ROWS = List.of(
            Row.of(NettestValue.STREAMS, List.of(NettestOptions.STREAMS), SuitePlans::streams),
            Row.of(
                    NettestValue.DIRECTION,
                    List.of(NettestOptions.REVERSE, NettestOptions.BIDIR),
                    SuitePlans::direction),
            Row.size(NettestValue.BLOCK_BYTES, NettestOptions.BLOCK),
            Row.choice(NettestValue.RECEIVE, NettestOptions.RECEIVE, Receive.class),
            Row.number(NettestValue.MESSAGES, NettestOptions.MESSAGES),
            Row.number(NettestValue.ITERATIONS, NettestOptions.ITERATIONS),
            Row.of(NettestValue.QUEUES, List.of(NettestOptions.QP, NettestOptions.INLINE), SuitePlans::queues),
            Row.of(
                    NettestValue.BUSY_POLL,
                    List.of(NettestOptions.BUSY_POLL),
                    (settings, asked) -> settings.on(NettestOptions.BUSY_POLL)
                            || asked.plan().find(NettestValue.QUEUES) != null),
            Row.size(NettestValue.REQUEST_BYTES, NettestOptions.REQUEST),
            Row.of(NettestValue.OTHER_SERVERS, List.of(NettestOptions.SERVERS), SuitePlans::servers),
            Row.of(NettestValue.CONCURRENT, List.of(NettestOptions.CONCURRENT), SuitePlans::concurrent),
            Row.choice(NettestValue.OP, NettestOptions.OP, Op.class),
            Row.choice(NettestValue.DURABLE, NettestOptions.DURABLE, Durable.class),
            Row.of(NettestValue.READS, List.of(NettestOptions.READS), SuitePlans::reads),
            Row.number(NettestValue.KEY_BYTES, NettestOptions.KEY),
            Row.of(NettestValue.OBJECTS, NettestOptions.OBJECTS, SuitePlans::objects),
            Row.flag(NettestValue.KEEP, NettestOptions.KEEP),
            Row.size(NettestValue.SIZE_BYTES, NettestOptions.SIZE),
            Row.of(NettestValue.OFFERED, NettestOptions.OFFERED, SuitePlans::offered),
            Row.of(NettestValue.RX_BUFFERS, NettestOptions.RX_BUFFERS, SuitePlans::buffers),
            Row.of(NettestValue.TX_BUFFERS, NettestOptions.TX_BUFFERS, SuitePlans::buffers),
            Row.of(NettestValue.DURATION, List.of(NettestOptions.DURATION), SuitePlans::duration),
            Row.of(NettestValue.WARM_UP, List.of(NettestOptions.WARM_UP), (settings, asked) -> warmUpMs(settings)),
            Row.of(NettestValue.SIZES, List.of(NettestOptions.SIZES), SuitePlans::sizes),
            Row.of(NettestValue.MODES, List.of(NettestOptions.BLOCKING, NettestOptions.NONBLOCKING), SuitePlans::modes),
            Row.of(NettestValue.SWITCH_AT, List.of(NettestOptions.SWITCH_AT), SuitePlans::switchAt));

    private SuitePlans() {}

    static List<String> words() {
        return Suites.ALL.stream().map(Suite::name).toList();
    }

    static Optional<Suite> named(List<String> words) {
        return words.isEmpty() ? Optional.empty() : Suites.named(words.get(0));
    }

    /** The name in the help of a setting of a result; the setting itself if the help has it under several names. */
    static String optionName(String setting) {
        return ROWS.stream()
                .filter(row -> String.valueOf(row.value()).equals(setting)
                        && row.options().size() == 1)
                .map(row -> row.options().get(0).name())
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
        ROWS.stream().filter(row -> isOf(suite, row)).forEach(row -> options.addAll(row.options()));
        return options;
    }

    private static boolean isOf(Suite suite, Row<?, ?> row) {
        return suite.values().stream().anyMatch(value -> value == row.value());
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
        for (Row<?, ? super Asked> each : ROWS) {
            if (isOf(suite, each)) {
                plan = each.into(plan, settings, new Asked(plan, context.cores()));
            }
        }
        suite.check(plan);
        return plan;
    }

    // ---- Values that are more than one word of one option.

    private static int duration(Settings settings, Asked asked) {
        return timeMs(
                settings,
                NettestOptions.DURATION,
                NettestValue.DURATION.min(),
                asked.plan().suite().maxDurationMs());
    }

    static int warmUpMs(Settings settings) {
        return timeMs(settings, NettestOptions.WARM_UP, 0, NettestValue.WARM_UP.max());
    }

    private static int timeMs(Settings settings, Option option, int minMs, int maxMs) {
        return settings.get(option, Times.betweenMs(minMs, maxMs)).intValue();
    }

    private static int streams(Settings settings, Asked asked) {
        return settings.get(
                NettestOptions.STREAMS,
                text -> LaneCount.orAuto(
                        text,
                        NettestValue.STREAMS.max(),
                        LaneRange.auto(asked.cores()).start()));
    }

    private static Direction direction(Settings settings, Asked asked) {
        boolean reverse = settings.on(NettestOptions.REVERSE);
        boolean both = settings.on(NettestOptions.BIDIR);
        if (reverse && both) {
            throw UserText.refusal("--bidir already measures both ways; leave --reverse out");
        }
        return both ? Direction.BOTH : reverse ? Direction.IN : Direction.OUT;
    }

    private static @Nullable List<Integer> sizes(Settings settings, Asked asked) {
        int most = asked.plan().suite().maxSizeBytes();
        return settings.find(NettestOptions.SIZES, text -> SizeList.parse(text, most));
    }

    private static @Nullable List<Mode> modes(Settings settings, Asked asked) {
        boolean blocking = settings.on(NettestOptions.BLOCKING);
        return blocking == settings.on(NettestOptions.NONBLOCKING)
                ? null
                : List.of(blocking ? Mode.BLOCKING : Mode.NONBLOCKING);
    }

    private static @Nullable Integer switchAt(Settings settings, Asked asked) {
        if (!settings.isPreset(NettestOptions.SWITCH_AT) && !isRdma(asked)) {
            throw UserText.refusal("--switch-at applies only to --transport rdma, where small and large messages"
                    + " are sent differently; leave it out");
        }
        return Row.<Asked>size(NettestValue.SWITCH_AT, NettestOptions.SWITCH_AT)
                .reader()
                .read(settings, asked);
    }

    private static boolean isRdma(Asked asked) {
        return asked.plan().path().carrier() == Carrier.RDMA;
    }

    private static @Nullable QueueUse queues(Settings settings, Asked asked) {
        String pair = settings.find(
                NettestOptions.QP, Words.among(NettestOptions.QP.value().words()));
        int inlineBytes = settings.get(NettestOptions.INLINE, Words.number(0, Bounds.MAX_INLINE_BYTES));
        if (pair == null) {
            if (!settings.isPreset(NettestOptions.INLINE)) {
                throw UserText.refusal("--inline applies to queue pairs; add --qp rc or --qp ud");
            }
            return null;
        }
        if (!isRdma(asked)) {
            throw UserText.refusal("--qp needs an RDMA device; add --transport rdma");
        }
        return new QueueUse(pair.equals("ud") ? QueueKind.DATAGRAM : QueueKind.RELIABLE, inlineBytes);
    }

    private static Reads reads(Settings settings, Asked asked) {
        Reads reads = settings.choice(NettestOptions.READS, Reads.class);
        if (reads == Reads.RDMA && !isRdma(asked)) {
            throw UserText.refusal("--reads rdma needs lanes over RDMA; add --transport rdma");
        }
        return reads;
    }

    private static @Nullable List<NettestPath> servers(Settings settings, Asked asked) {
        NettestPath path = asked.plan().path();
        List<HostPort> others =
                settings.find(NettestOptions.SERVERS, text -> others(new HostPort(path.host(), path.port()), text));
        return others == null
                ? null
                : others.stream()
                        .map(other -> path.to(other.host(), other.port()))
                        .toList();
    }

    /** Each server has at least one lane. */
    private static int concurrent(Settings settings, Asked asked) {
        return Math.max(
                asked.plan().servers().size(),
                settings.get(
                        NettestOptions.CONCURRENT,
                        Words.number(NettestValue.CONCURRENT.min(), NettestValue.CONCURRENT.max())));
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
                : Words.number(NettestValue.OBJECTS.min(), NettestValue.OBJECTS.max())
                        .parse(text);
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
            int count = Words.number(1, NettestValue.MAX_BUFFERS).parse(part);
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
        if (product == null || product < 1 || product > NettestValue.MAX_PER_SECOND) {
            throw new BadValueException(
                    "not a number of requests per second from 1 to 100M; write for example 20000 or 20k");
        }
        return product.intValue();
    }
}
