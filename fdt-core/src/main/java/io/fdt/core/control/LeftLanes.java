package io.fdt.core.control;

import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The lanes of a client's sessions. One session after another may use a lane. Thread-safe. */
public final class LeftLanes {
    private final Map<GreetingLane, Use> lanes = new HashMap<>();

    /** Where a lane leads. */
    record Way(
            Transport transport,
            InetSocketAddress server,
            @Nullable InetSocketAddress localAddress,
            boolean clear) {
        /** By hand, for a short start. */
        boolean isSameAs(Way other) {
            return transport == other.transport
                    && server.equals(other.server)
                    && Objects.equals(localAddress, other.localAddress)
                    && clear == other.clear;
        }
    }

    private record Use(Way way, Session session) {}

    /** Returns a lane that has left its session, or is about to, and now belongs to this one; null if there is none. */
    synchronized @Nullable GreetingLane take(Way way, Session next) {
        for (Map.Entry<GreetingLane, Use> each : lanes.entrySet()) {
            Use use = each.getValue();
            if (use.way.isSameAs(way) && next.follows(use.session)) {
                each.setValue(new Use(way, next));
                return each.getKey();
            }
        }
        return null;
    }

    synchronized void add(GreetingLane lane, Way way, Session session) {
        lanes.put(lane, new Use(way, session));
    }

    /** It has ended. */
    synchronized void remove(GreetingLane lane) {
        lanes.remove(lane);
    }
}
