package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.Plan;
import io.fdt.core.plan.Value;
import io.fdt.core.plan.Value.Side;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A requested network test, with all values of its suite, at the client and at the server. The path is that of the
 * first server; at the server, only what the request says about it. Immutable.
 */
public record NettestPlan(Suite suite, NettestPath path, Map<Value<?>, Object> values) implements Plan<NettestPlan> {
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
        values = Map.copyOf(values);
    }

    /** A plan with default values, which {@link #with} changes. */
    public static NettestPlan of(Suite suite, NettestPath path) {
        return suite.overLanes(suite.withDefaults(new NettestPlan(suite, path, Map.of())));
    }

    /** The plan of a request, at the server; throws MALFORMED if its values are none, and USAGE if they contradict. */
    public static NettestPlan of(Suite suite, OpenNettest request) {
        NettestPlan plan = of(suite, new NettestPath("", 0, request.clear(), List.of(), request.timeoutMs()));
        for (Value<?> each : suite.values()) {
            Object written = request.values().get(each.toString());
            try {
                plan = written == null ? plan : plan.read(each, written);
            } catch (IllegalArgumentException e) {
                throw Cause.MALFORMED.failure(
                        "the request for the network test " + suite.name() + " has an invalid " + each, e);
            }
        }
        suite.check(plan);
        return plan;
    }

    private <T> NettestPlan read(Value<T> value, Object written) {
        return with(value, value.read(written));
    }

    @Override
    public NettestPlan withValues(Map<Value<?>, Object> other) {
        if (!suite.values().containsAll(other.keySet())) {
            throw new IllegalArgumentException(suite.name() + " does not have all of " + other.keySet());
        }
        return new NettestPlan(suite, path, other);
    }

    /** Null if the suite does not have it, or it was not requested. */
    @Override
    public <T> @Nullable T find(Value<T> value) {
        return suite.values().contains(value) ? Plan.super.find(value) : null;
    }

    public NettestPlan over(NettestPath other) {
        return new NettestPlan(suite, other, values);
    }

    /** Returns this plan with other lanes, whose transport is known only when the session is open. */
    public NettestPlan over(Carrier carrier) {
        return carrier == path.carrier() ? this : suite.overLanes(over(path.over(carrier)));
    }

    private <T> T get(Value<T> value, T otherwise) {
        T is = find(value);
        return is == null ? otherwise : is;
    }

    public int mostBytes() {
        return get(NettestValue.SIZES).stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElse(1);
    }

    // ---- Values derived from the options.

    /** The number of lanes in one direction. */
    public int streams() {
        return get(NettestValue.STREAMS, get(NettestValue.CONCURRENT, 1));
    }

    public int lanesOut() {
        return get(NettestValue.DIRECTION, Direction.OUT) == Direction.IN ? 0 : streams();
    }

    public int lanesIn() {
        return get(NettestValue.DIRECTION, Direction.OUT) == Direction.OUT ? 0 : streams();
    }

    public List<NettestPath> servers() {
        return Stream.concat(Stream.of(path), get(NettestValue.OTHER_SERVERS, List.of()).stream())
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
        int lanes = get(NettestValue.CONCURRENT) / all + (server < get(NettestValue.CONCURRENT) % all ? 1 : 0);
        return over(servers().get(server))
                .with(NettestValue.OTHER_SERVERS, List.of())
                .with(NettestValue.CONCURRENT, lanes);
    }

    /** With all values that a server may know: a suite has its own defaults. */
    public OpenNettest request() {
        Map<String, Object> written = new HashMap<>();
        suite.values().stream().filter(value -> value.side() != Side.CLIENT).forEach(value -> write(value, written));
        return new OpenNettest(suite.name(), path.clear(), path.timeoutMs(), written);
    }

    private <T> void write(Value<T> value, Map<String, Object> into) {
        T is = find(value);
        if (is != null) {
            into.put(value.toString(), value.write(is));
        }
    }

    /** The suite's values by name, as in results. */
    public JsonObject options() {
        JsonObject options = new JsonObject();
        suite.values().forEach(value -> suite.putOption(this, value, options));
        return options;
    }

    /** Adds a value to figures, if the plan has it. */
    public void put(Value<?> value, JsonObject into) {
        Object is = find(value);
        String name = value.toString();
        if (is instanceof Integer ms && name.endsWith("_seconds")) {
            into.with(name, ms / 1e3, 3);
        } else if (is != null) {
            into.with(name, shown(is));
        }
    }

    private static Object shown(Object is) {
        return is instanceof Enum<?> word
                ? Word.of(word)
                : is instanceof List<?> list
                        ? list.stream().map(NettestPlan::shown).toList()
                        : is;
    }
}
