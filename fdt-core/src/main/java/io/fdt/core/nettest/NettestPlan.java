package io.fdt.core.nettest;

import io.fdt.core.Word;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.Capability;
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

/** A network test that was asked for, with all values of its suite; the path is the first server's. Immutable. */
public record NettestPlan(Suite suite, NettestPath path, Map<PlanValue<?>, Object> values) {
    /** Where the messages of well-known libraries go by rendezvous, too. */
    private static final int USUAL_SWITCH_BYTES = 16 << 10;

    /** Lanes of objects end by themselves after the last round; this long after it, what is under way is given up. */
    private static final int SLACK_MS = 30_000;

    private static final long USUAL_TIMEOUT_MS = 30_000;
    private static final int USUAL_OBJECTS = 10_000;
    private static final int USUAL_BYTES = 16 << 20;
    private static final int MOST_POWER = 22;

    /** Which way the bytes go, seen from the client. */
    public enum Direction {
        OUT,
        IN,
        BOTH
    }

    /** How a message of a burst follows the one before it. */
    public enum Mode {
        /** A call a message; the next begins when the network stack has taken all of it. */
        BLOCKING,
        /** As many messages as there is room for go with one call. */
        NONBLOCKING
    }

    /** How a message of a burst is sent. */
    public enum Protocol {
        /** Bytes of a stream; the network stack says when there is room. */
        STREAM,
        /** Into what the receiver has granted beforehand, to whatever comes. */
        EAGER,
        /** It is announced first, and goes when the receiver has said that it is ready for it. */
        RENDEZVOUS
    }

    /** What is done with random objects. */
    public enum Op {
        READ,
        WRITE
    }

    /** What holds a value that was written when the server answers. */
    public enum Durable {
        MEMORY,
        LOG
    }

    /** How a value is read from the server. */
    public enum Reads {
        /** The server is asked for it and answers. */
        MESSAGE,
        /** The client's device reads it out of the server's memory: the server's processor has no part in it. */
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

    /** With what is usual, which {@link #with} changes. */
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

    /** This many streams over TCP without encryption, and what arrives is dropped. */
    public static NettestPlan throughput(String host, int port, int streams, Direction direction, Duration duration) {
        return of(Suite.THROUGHPUT, new NettestPath(host, port, true, List.of(), USUAL_TIMEOUT_MS))
                .with(PlanValue.STREAMS, streams)
                .with(PlanValue.DIRECTION, direction)
                .with(PlanValue.DURATION, (int) duration.toMillis());
    }

    /** Those of the published figures, 1 B to 4 MiB. */
    private static List<Integer> powersOfTwo() {
        return IntStream.rangeClosed(0, MOST_POWER)
                .mapToObj(power -> 1 << power)
                .toList();
    }

    /** The same with another value. */
    public <T> NettestPlan with(PlanValue<T> value, T is) {
        Map<PlanValue<?>, Object> all = new HashMap<>(values);
        all.put(value, is instanceof List<?> list ? List.copyOf(list) : is);
        return new NettestPlan(suite, path, all);
    }

    /** The same over another path. */
    public NettestPlan over(NettestPath other) {
        return new NettestPlan(suite, other, values);
    }

    /** The same with lanes that something else carries: what does is not known before the session is open. */
    public NettestPlan over(Carrier carrier) {
        NettestPlan other = over(path.over(carrier));
        return suite == Suite.SWEEP && carrier != path.carrier()
                ? other.with(PlanValue.SWITCH_AT, carrier == Carrier.RDMA ? USUAL_SWITCH_BYTES : 0)
                : other;
    }

    /** What the suite has and is not null by itself. */
    public <T> T get(PlanValue<T> value) {
        T is = find(value);
        if (is == null) {
            throw new IllegalStateException(suite + " has no " + value);
        }
        return is;
    }

    /** Null where the suite has none, or none was asked for. */
    @SuppressWarnings("unchecked") // with() takes nothing else.
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

    // ---- What a value means.

    /** How many lanes carry it, of one way. */
    public int streams() {
        return get(PlanValue.STREAMS, get(PlanValue.CONCURRENT, 1));
    }

    public int lanesOut() {
        return get(PlanValue.DIRECTION, Direction.OUT) == Direction.IN ? 0 : streams();
    }

    private int lanesIn() {
        return get(PlanValue.DIRECTION, Direction.OUT) == Direction.OUT ? 0 : streams();
    }

    /** Round trips of each size before those that are counted. */
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

    /** How many objects there are of this size. */
    public int objectsOf(int sizeBytes) {
        return objectsOf(sizeBytes, get(PlanValue.OBJECTS));
    }

    /** What was asked for, or else 10,000 but not more than 16 MiB of them. */
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

    /** Where all of the servers are. */
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

    /** What one of the servers is asked. */
    public NettestPlan ofServer(int server) {
        int all = servers().size();
        int lanes = get(PlanValue.CONCURRENT) / all + (server < get(PlanValue.CONCURRENT) % all ? 1 : 0);
        return over(servers().get(server))
                .with(PlanValue.OTHER_SERVERS, List.of())
                .with(PlanValue.CONCURRENT, lanes);
    }

    /** What the server must be able to do for it: bits of {@link Capability}. */
    public long needed() {
        boolean device = find(PlanValue.QUEUES) != null || find(PlanValue.READS) == Reads.RDMA;
        return device ? Capability.DEVICE_QUEUES : 0;
    }

    /** What one server is asked for. */
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

    /** The suite's values by name, as results have them. */
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

    /** What is done with objects, which all figures of them have. */
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
