package io.fdt.core.transport.tcp;

import io.fdt.core.transport.PeerNetwork;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections at a listening port. A connection is silent until its first byte, then speaking until it has
 * completed TLS or is a link or a lane, and then unproven until its owner {@linkplain Connection#admitted admits} it.
 * The number of connections is limited, and so is the number of unadmitted ones, of which one network (an IPv4 address,
 * or the first 64 bits of an IPv6 address) may have half. If there are too many, the oldest one of the network with the
 * most is closed: a silent one if there is one, otherwise a speaking one, otherwise an unproven one. A connection that
 * completed TLS within the last two seconds is kept. Thread-safe.
 */
final class ConnectionLimits {
    private enum State {
        SILENT,
        SPEAKING,
        UNPROVEN,
        ADMITTED,
        GONE
    }

    /** A client needs a round trip to prove its key once TLS is complete. */
    private static final long PROOF_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final int maxUnadmitted;
    private final int maxConnections;
    private final LongSupplier nanoTime;
    private final Map<PeerNetwork, Unadmitted> byNetwork = new LinkedHashMap<>();

    private int unadmitted;
    private int connections;

    ConnectionLimits(int maxUnadmitted, int maxConnections, LongSupplier nanoTime) {
        this.maxUnadmitted = maxUnadmitted;
        this.maxConnections = maxConnections;
        this.nanoTime = nanoTime;
    }

    /** The unadmitted connections of one network, oldest first. */
    private static final class Unadmitted {
        private final Map<State, Set<Connection>> byState = new EnumMap<>(State.class);

        int size() {
            return byState.values().stream().mapToInt(Set::size).sum();
        }

        Set<Connection> of(State state) {
            return byState.computeIfAbsent(state, first -> new LinkedHashSet<>());
        }

        /** The one to close next; null if none may be closed. */
        @Nullable Connection next(long now) {
            for (Set<Connection> group : byState.values()) {
                for (Connection each : group) {
                    if (!each.isProtected(now)) {
                        return each;
                    }
                }
            }
            return null;
        }
    }

    final class Connection {
        private final PeerNetwork network;
        private final Runnable onEvicted;
        private State state = State.SILENT;
        private boolean encrypted;
        private long unprovenSince;

        private Connection(PeerNetwork network, Runnable onEvicted) {
            this.network = network;
            this.onEvicted = onEvicted;
        }

        PeerNetwork network() {
            return network;
        }

        void speaks() {
            synchronized (ConnectionLimits.this) {
                if (state == State.SILENT) {
                    move(State.SPEAKING);
                }
            }
        }

        /**
         * The connection has completed TLS, or is a link or a lane now. May be called more than once.
         *
         * @param tls whether it has completed TLS
         * @return false if it has been closed meanwhile
         */
        boolean awaitProof(boolean tls) {
            synchronized (ConnectionLimits.this) {
                if (state == State.UNPROVEN) {
                    return true;
                }
                if (state != State.SILENT && state != State.SPEAKING) {
                    return false;
                }
                encrypted = tls;
                unprovenSince = nanoTime.getAsLong();
                move(State.UNPROVEN);
                return true;
            }
        }

        /** Its owner has authenticated the peer. */
        void admitted() {
            synchronized (ConnectionLimits.this) {
                if (state == State.UNPROVEN) {
                    move(State.ADMITTED);
                }
            }
        }

        /** The connection is closed. May be called more than once. */
        void leave() {
            synchronized (ConnectionLimits.this) {
                if (state != State.GONE) {
                    move(State.GONE);
                    connections--;
                }
            }
        }

        private boolean isProtected(long now) {
            return state == State.UNPROVEN && encrypted && now - unprovenSince < PROOF_NANOS;
        }

        private void move(State next) {
            if (state != State.ADMITTED) {
                Unadmitted ofNetwork = byNetwork.computeIfAbsent(network, first -> new Unadmitted());
                ofNetwork.of(state).remove(this);
                if (next == State.ADMITTED || next == State.GONE) {
                    unadmitted--;
                } else {
                    ofNetwork.of(next).add(this);
                }
                if (ofNetwork.size() == 0) {
                    byNetwork.remove(network);
                }
            }
            state = next;
        }
    }

    /**
     * Adds a new connection.
     *
     * @param onEvicted called, on any thread, if it must be closed to make room
     * @return null if there is no room
     */
    @Nullable Connection enter(InetAddress address, Runnable onEvicted) {
        Connection connection = new Connection(PeerNetwork.of(address), onEvicted);
        Connection evicted = null;
        synchronized (this) {
            Unadmitted own = byNetwork.get(connection.network);
            if (own != null && own.size() >= Math.max(1, maxUnadmitted / 2)) {
                evicted = own.next(nanoTime.getAsLong());
                if (evicted == null) {
                    return null;
                }
            } else if (connections >= maxConnections || unadmitted >= maxUnadmitted) {
                evicted = nextOfLargestNetwork();
                if (evicted == null) {
                    return null;
                }
            }
            if (evicted != null) {
                evicted.leave();
            }
            connections++;
            unadmitted++;
            byNetwork
                    .computeIfAbsent(connection.network, first -> new Unadmitted())
                    .of(State.SILENT)
                    .add(connection);
        }
        if (evicted != null) {
            evicted.onEvicted.run();
        }
        return connection;
    }

    private @Nullable Connection nextOfLargestNetwork() {
        long now = nanoTime.getAsLong();
        Connection next = null;
        int largest = 0;
        for (Unadmitted ofNetwork : byNetwork.values()) {
            if (ofNetwork.size() > largest) {
                Connection candidate = ofNetwork.next(now);
                if (candidate != null) {
                    next = candidate;
                    largest = ofNetwork.size();
                }
            }
        }
        return next;
    }

    synchronized int unadmitted() {
        return unadmitted;
    }

    synchronized int connections() {
        return connections;
    }
}
