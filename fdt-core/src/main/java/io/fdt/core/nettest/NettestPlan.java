package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A requested network test, with all values of its suite, at the client and at the server. The path is that of the
 * first server; at the server, only what the request says about it. Immutable.
 */
public record NettestPlan(Suite suite, NettestPath path, Map<PlanValue<?>, Object> values) {
    /** The direction of the bytes, seen from the client. */
    public enum Direction {
        OUT,
        IN,
        BOTH
    }

    /** What happens to received bytes. */
    public enum Receive {
        /** Dropped without copying them out, where the transport can. */
        DISCARD,
        /** Copied to the program's memory. */
        COPY
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
        for (PlanValue<?> each : suite.values()) {
            Object given = values.get(each);
            Object value = given == null ? each.defaultValue() : given;
            if (value != null) {
                each.require(value);
                all.put(each, value);
            }
        }
        if (!all.keySet().containsAll(values.keySet())) {
            throw new IllegalArgumentException(suite.name() + " has none of " + values.keySet());
        }
        values = Map.copyOf(all);
    }

    /** A plan with default values, which {@link #with} changes. */
    public static NettestPlan of(Suite suite, NettestPath path) {
        return suite.overLanes(suite.withDefaults(new NettestPlan(suite, path, Map.of())));
    }

    /**
     * The plan of a request, at the server; throws MALFORMED if its values are none, and USAGE if they are out of
     * bounds or contradict each other.
     */
    public static NettestPlan of(Suite suite, OpenNettest request) {
        NettestPlan plan = of(suite, new NettestPath("", 0, request.clear(), List.of(), request.timeoutMs()));
        try {
            for (PlanValue<?> each : suite.values()) {
                List<Long> numbers = request.values().get(each.toString());
                if (numbers != null) {
                    plan = plan.read(each, numbers);
                }
            }
            suite.check(plan);
            return plan;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw Cause.MALFORMED.failure(
                    "the request for the network test " + suite.name() + " has invalid values: " + e.getMessage(), e);
        }
    }

    private <T> NettestPlan read(PlanValue<T> value, List<Long> numbers) {
        return with(value, value.of(numbers));
    }

    /** Returns this plan with another value. */
    public <T> NettestPlan with(PlanValue<T> value, T is) {
        Map<PlanValue<?>, Object> all = new HashMap<>(values);
        all.put(value, is instanceof List<?> list ? List.copyOf(list) : is);
        return new NettestPlan(suite, path, all);
    }

    public NettestPlan over(NettestPath other) {
        return new NettestPlan(suite, other, values);
    }

    /** Returns this plan with other lanes, whose transport is known only when the session is open. */
    public NettestPlan over(Carrier carrier) {
        return carrier == path.carrier() ? this : suite.overLanes(over(path.over(carrier)));
    }

    /** A value that the suite has and that is never null. */
    public <T> T get(PlanValue<T> value) {
        T is = find(value);
        if (is == null) {
            throw new IllegalStateException(suite.name() + " has no " + value);
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

    public int lanesIn() {
        return get(PlanValue.DIRECTION, Direction.OUT) == Direction.OUT ? 0 : streams();
    }

    public List<NettestPath> servers() {
        return Stream.concat(Stream.of(path), get(PlanValue.OTHER_SERVERS, List.of()).stream())
                .toList();
    }

    /** The tested servers, as the user named them. */
    public String destination() {
        return servers().stream().map(NettestPath::host).collect(Collectors.joining(","));
    }

    /** As the user wrote it, with its port. */
    public String serverName(int server) {
        NettestPath to = servers().get(server);
        return (to.host().indexOf(':') >= 0 ? "[" + to.host() + "]" : to.host()) + ":" + to.port();
    }

    public List<String> serverNames() {
        return IntStream.range(0, servers().size()).mapToObj(this::serverName).toList();
    }

    public NettestPlan ofServer(int server) {
        int all = servers().size();
        int lanes = get(PlanValue.CONCURRENT) / all + (server < get(PlanValue.CONCURRENT) % all ? 1 : 0);
        return over(servers().get(server))
                .with(PlanValue.OTHER_SERVERS, List.of())
                .with(PlanValue.CONCURRENT, lanes);
    }

    public OpenNettest request() {
        Map<String, List<Long>> numbers = new TreeMap<>();
        for (PlanValue<?> each : suite.values()) {
            List<Long> own = numbers(each);
            if (own != null) {
                numbers.put(each.toString(), own);
            }
        }
        return new OpenNettest(suite.name(), path.clear(), path.timeoutMs(), numbers);
    }

    private <T> @Nullable List<Long> numbers(PlanValue<T> value) {
        T is = find(value);
        return is == null ? null : value.toNumbers(is);
    }

    /** The suite's values by name, as in results. */
    public JsonObject options() {
        JsonObject options = new JsonObject();
        suite.values().forEach(value -> suite.putOption(this, value, options));
        return options;
    }
}
