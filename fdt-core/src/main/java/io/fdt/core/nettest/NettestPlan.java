package io.fdt.core.nettest;

import io.fdt.core.Word;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.ObjectsPart;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A requested network test, with all values of its suite; the path is that of the first server. Immutable. */
public record NettestPlan(Suite suite, NettestPath path, Map<PlanValue<?>, Object> values) {
    /** Common libraries change to rendezvous at the same size. */
    private static final int USUAL_SWITCH_BYTES = 16 << 10;

    /** Lanes of objects end by themselves after the last round; this long after it, pending requests are given up. */
    private static final int SLACK_MS = 30_000;

    private static final long USUAL_TIMEOUT_MS = 30_000;
    private static final int USUAL_OBJECTS = 10_000;
    private static final int USUAL_BYTES = 16 << 20;
    private static final int MOST_POWER = 22;

    /** The direction of the bytes, seen from the client. */
    public enum Direction {
        OUT,
        IN,
        BOTH
    }

    /** How a message of a burst follows the previous one. */
    public enum Mode {
        /** One call for each message; the next one begins when the network stack has accepted all of it. */
        BLOCKING,
        /** One call sends as many messages as there is room for. */
        NONBLOCKING
    }

    /** How a message of a burst is sent. */
    public enum Protocol {
        /** As bytes of a stream; the network stack determines when there is room. */
        STREAM,
        /** Into buffers that the receiver has granted beforehand for any message. */
        EAGER,
        /** It is announced first, and sent when the receiver has answered that it is ready. */
        RENDEZVOUS
    }

    /** What is done with random objects. */
    public enum Op {
        READ,
        WRITE
    }

    /** Where a written value is stored when the server answers. */
    public enum Durable {
        MEMORY,
        LOG
    }

    /** How a value is read from the server. */
    public enum Reads {
        /** The client sends a request and the server answers. */
        MESSAGE,
        /** The client's device reads it from the server's memory without the server's CPU. */
        RDMA
    }

    public NettestPlan {
        Map<PlanValue<?>, Object> all = new HashMap<>();
        for (PlanValue<?> each : PlanValue.of(suite)) {
            Object given = values.get(each);
            Object value = given == null ? each.usual() : given;
            if (value != null) {
                all.put(each, value);
            }
        }
        if (!all.keySet().containsAll(values.keySet())) {
            throw new IllegalArgumentException(suite + " has none of " + values.keySet());
        }
        values = Map.copyOf(all);
    }

    /** A plan with default values, which {@link #with} changes. */
    public static NettestPlan of(Suite suite, NettestPath path) {
        NettestPlan usual = new NettestPlan(suite, path, Map.of());
        return switch (suite) {
            case SWEEP ->
                usual.with(PlanValue.SIZES, powersOfTwo())
                        .with(PlanValue.SWITCH_AT, path.carrier() == Carrier.RDMA ? USUAL_SWITCH_BYTES : 0);
            case RPC, OBJECTS -> usual.with(PlanValue.SIZES, List.of(100, 1_000, 10_000, 100_000, 1_000_000));
            default -> usual;
        };
    }

    /** A plan for this many streams over TCP without encryption, whose received data is dropped. */
    public static NettestPlan throughput(String host, int port, int streams, Direction direction, Duration duration) {
        return of(Suite.THROUGHPUT, new NettestPath(host, port, true, List.of(), USUAL_TIMEOUT_MS))
                .with(PlanValue.STREAMS, streams)
                .with(PlanValue.DIRECTION, direction)
                .with(PlanValue.DURATION, (int) duration.toMillis());
    }

    /** The sizes of the published figures, 1 B to 4 MiB. */
    private static List<Integer> powersOfTwo() {
        return IntStream.rangeClosed(0, MOST_POWER)
                .mapToObj(power -> 1 << power)
                .toList();
    }

    /** Returns this plan with another value. */
    public <T> NettestPlan with(PlanValue<T> value, T is) {
        Map<PlanValue<?>, Object> all = new HashMap<>(values);
        all.put(value, is instanceof List<?> list ? List.copyOf(list) : is);
        return new NettestPlan(suite, path, all);
    }

    /** Returns this plan for another path. */
    public NettestPlan over(NettestPath other) {
        return new NettestPlan(suite, other, values);
    }

    /** Returns this plan with other lanes, whose transport is known only when the session is open. */
    public NettestPlan over(Carrier carrier) {
        NettestPlan other = over(path.over(carrier));
        return suite == Suite.SWEEP && carrier != path.carrier()
                ? other.with(PlanValue.SWITCH_AT, carrier == Carrier.RDMA ? USUAL_SWITCH_BYTES : 0)
                : other;
    }

    /** A value that the suite has and that is never null. */
    public <T> T get(PlanValue<T> value) {
        T is = find(value);
        if (is == null) {
            throw new IllegalStateException(suite + " has no " + value);
        }
        return is;
    }

    /** Null if the suite does not have it, or it was not requested. */
    @SuppressWarnings("unchecked") // with() accepts only values of the right type.
    public <T> @Nullable T find(PlanValue<T> value) {
        return (T) values.get(value);
    }

    private <T> T get(PlanValue<T> value, T otherwise) {
        T is = find(value);
        return is == null ? otherwise : is;
    }

    /** The largest of the sizes. */
    public int mostBytes() {
        return get(PlanValue.SIZES).stream().mapToInt(Integer::intValue).max().orElse(1);
    }

    // ---- Values derived from the options.

    /** The number of lanes in one direction. */
    public int streams() {
        return get(PlanValue.STREAMS, get(PlanValue.CONCURRENT, 1));
    }

    public int lanesOut() {
        return get(PlanValue.DIRECTION, Direction.OUT) == Direction.IN ? 0 : streams();
    }

    private int lanesIn() {
        return get(PlanValue.DIRECTION, Direction.OUT) == Direction.OUT ? 0 : streams();
    }

    /** Uncounted round trips of each size before the counted ones. */
    public long warmUps() {
        return warmUps(get(PlanValue.ITERATIONS));
    }

    public static long warmUps(long iterations) {
        return Math.min(20_000, Math.max(10, iterations / 10));
    }

    public Protocol protocolOf(int sizeBytes) {
        int switchAt = get(PlanValue.SWITCH_AT);
        return switchAt == 0 ? Protocol.STREAM : sizeBytes < switchAt ? Protocol.EAGER : Protocol.RENDEZVOUS;
    }

    /** The number of objects of this size. */
    public int objectsOf(int sizeBytes) {
        return objectsOf(sizeBytes, get(PlanValue.OBJECTS));
    }

    /** The requested number, or else 10,000 but not more than 16 MiB of them. */
    public static int objectsOf(int sizeBytes, long asked) {
        return asked > 0 ? (int) asked : Math.max(4, Math.min(USUAL_OBJECTS, USUAL_BYTES / sizeBytes));
    }

    /** Steps of each pool under load. */
    public int stepsEach() {
        List<Integer> offered = get(PlanValue.OFFERED);
        return offered.isEmpty() ? PlanValue.USUAL_STEPS : offered.size();
    }

    /** Steps of all pools. */
    public int loadSteps() {
        return stepsEach()
                * get(PlanValue.RX_BUFFERS).size()
                * get(PlanValue.TX_BUFFERS).size();
    }

    /** The paths of all servers. */
    public List<NettestPath> servers() {
        return Stream.concat(Stream.of(path), get(PlanValue.OTHER_SERVERS, List.of()).stream())
                .toList();
    }

    /** As the user wrote it, with its port. */
    public String serverName(int server) {
        NettestPath to = servers().get(server);
        return (to.host().indexOf(':') >= 0 ? "[" + to.host() + "]" : to.host()) + ":" + to.port();
    }

    public List<String> serverNames() {
        return IntStream.range(0, servers().size()).mapToObj(this::serverName).toList();
    }

    /** The plan for one of the servers. */
    public NettestPlan ofServer(int server) {
        int all = servers().size();
        int lanes = get(PlanValue.CONCURRENT) / all + (server < get(PlanValue.CONCURRENT) % all ? 1 : 0);
        return over(servers().get(server))
                .with(PlanValue.OTHER_SERVERS, List.of())
                .with(PlanValue.CONCURRENT, lanes);
    }

    /** The request to one server. */
    public OpenNettest request() {
        int duration = get(PlanValue.DURATION, 0);
        QueueUse queues = find(PlanValue.QUEUES);
        List<Integer> sizes = suite == Suite.THROUGHPUT || suite == Suite.LOAD ? List.of() : get(PlanValue.SIZES);
        return new OpenNettest(
                suite,
                lanesOut(),
                lanesIn(),
                suite == Suite.THROUGHPUT
                        ? get(PlanValue.WARM_UP) + duration
                        : suite == Suite.OBJECTS ? (long) duration * sizes.size() + SLACK_MS : 0,
                get(PlanValue.BLOCK_BYTES, 1),
                get(PlanValue.RECEIVE, Receive.COPY),
                path.clear(),
                sizes.stream().mapToInt(Integer::intValue).toArray(),
                get(PlanValue.ITERATIONS, get(PlanValue.MESSAGES, get(PlanValue.OBJECTS, 0))),
                get(PlanValue.REQUEST_BYTES, get(PlanValue.KEY_BYTES, get(PlanValue.SIZE_BYTES, 0))),
                false,
                get(PlanValue.BUSY_POLL, false),
                path.timeoutMs(),
                suite == Suite.OBJECTS
                        ? new ObjectsPart(get(PlanValue.DURABLE) == Durable.LOG, get(PlanValue.KEEP))
                        : null,
                queues == null ? null : queues.toPart());
    }

    /** The suite's values by name, as in results. */
    public NamedFigures options() {
        NamedFigures options = new NamedFigures();
        for (PlanValue<?> each : PlanValue.of(suite)) {
            Object value = find(each);
            String name = each.displayName();
            if (value instanceof QueueUse queues) {
                options.with(name, queues.word()).with("inline", queues.inlineBytes());
            } else if (value instanceof Integer ms && (each == PlanValue.DURATION || each == PlanValue.WARM_UP)) {
                options.with(name, ms / 1e3, 3);
            } else if (each == PlanValue.OTHER_SERVERS) {
                options.with(name, serverNames());
            } else if (each == PlanValue.OBJECTS) {
                options.with(
                        name, get(PlanValue.SIZES).stream().map(this::objectsOf).toList());
            } else if (value instanceof List<?> list) {
                options.with(name, list.stream().map(NettestPlan::shown).toList());
            } else if (value != null && !isMeaningless(each)) {
                options.with(name, shown(value));
            }
            if (each == PlanValue.ITERATIONS) {
                options.with("warm_ups", warmUps());
            }
        }
        return options;
    }

    /** The options of tests of objects, which all their figures include. */
    public NamedFigures objectsFigures() {
        NamedFigures options = options();
        NamedFigures figures =
                new NamedFigures().with("op", options.text("op")).with("durable", options.text("durable"));
        return options.has("reads") ? figures.with("reads", options.text("reads")) : figures;
    }

    private boolean isMeaningless(PlanValue<?> value) {
        return value == PlanValue.SWITCH_AT
                ? get(PlanValue.SWITCH_AT) == 0
                : value == PlanValue.READS && get(PlanValue.OP) == Op.WRITE;
    }

    private static Object shown(Object value) {
        return value instanceof Enum<?> word ? Word.of(word) : value;
    }
}
