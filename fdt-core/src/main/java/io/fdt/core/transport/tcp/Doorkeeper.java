package io.fdt.core.transport.tcp;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts who comes in at a listening port. A connection is a stranger until it has become a link or a lane, then a
 * guest until its owner says that it is {@linkplain Visitor#admitted admitted}. Strangers and guests together are
 * bounded, and so are all connections. When they crowd the door, whoever has stood there longest has to go: a peer that
 * means it needs milliseconds, so it gets in however many stand there in silence. Any thread.
 */
final class Doorkeeper {
    private enum Standing {
        STRANGER,
        GUEST,
        ADMITTED,
        GONE
    }

    private final int maxUnadmitted;
    private final int maxConnections;

    /** Strangers and guests, in the order of their coming. */
    private final Set<Visitor> unadmitted = new LinkedHashSet<>();

    private int connections;

    Doorkeeper(int maxUnadmitted, int maxConnections) {
        this.maxUnadmitted = maxUnadmitted;
        this.maxConnections = maxConnections;
    }

    /** One connection. */
    final class Visitor {
        private final Runnable onEvicted;
        private Standing standing = Standing.STRANGER;

        private Visitor(Runnable onEvicted) {
            this.onEvicted = onEvicted;
        }

        /** It is a link or a lane now; false when it has gone in the meantime. */
        boolean becomeGuest() {
            return move(Standing.STRANGER, Standing.GUEST);
        }

        /** Its owner knows who it is. */
        void admitted() {
            move(Standing.GUEST, Standing.ADMITTED);
        }

        /** It is over; may be said more than once. */
        void leave() {
            move(null, Standing.GONE);
        }

        private boolean move(@Nullable Standing expected, Standing next) {
            synchronized (Doorkeeper.this) {
                if (standing == Standing.GONE || (expected != null && standing != expected)) {
                    return false;
                }
                standing = next;
                if (next == Standing.ADMITTED || next == Standing.GONE) {
                    unadmitted.remove(this);
                }
                if (next == Standing.GONE) {
                    connections--;
                }
                return true;
            }
        }
    }

    /**
     * A connection comes.
     *
     * @param onEvicted called, on any thread, when it has to go again
     * @return null when there is no room
     */
    @Nullable Visitor enter(Runnable onEvicted) {
        Visitor visitor = new Visitor(onEvicted);
        Visitor evicted = null;
        synchronized (this) {
            if (connections >= maxConnections && unadmitted.isEmpty()) {
                return null;
            }
            if (connections >= maxConnections || unadmitted.size() >= maxUnadmitted) {
                evicted = unadmitted.iterator().next();
                evicted.leave();
            }
            connections++;
            unadmitted.add(visitor);
        }
        if (evicted != null) {
            evicted.onEvicted.run();
        }
        return visitor;
    }

    synchronized int unadmitted() {
        return unadmitted.size();
    }

    synchronized int connections() {
        return connections;
    }
}
