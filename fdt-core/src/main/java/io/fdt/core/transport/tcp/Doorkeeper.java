package io.fdt.core.transport.tcp;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts who comes in at a listening port. A connection is a stranger until it has become a link or a lane, then a
 * guest until its owner says that it is {@linkplain Visitor#admitted admitted}. Strangers and guests together are
 * bounded, and so are all connections. When they crowd the door, the stranger who has stood there longest has to go: a
 * peer that means it needs milliseconds, so it gets in however many stand there in silence. Any thread.
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

    /** In the order of their coming. */
    private final Set<Visitor> strangers = new LinkedHashSet<>();

    private int guests;
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
                count(this, -1);
                standing = next;
                count(this, 1);
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
        ArrayDeque<Visitor> evicted = new ArrayDeque<>(1);
        synchronized (this) {
            boolean crowded = strangers.size() + guests >= maxUnadmitted;
            if (connections >= maxConnections || (crowded && strangers.isEmpty())) {
                return null;
            }
            if (crowded) {
                Visitor oldest = strangers.iterator().next();
                oldest.leave();
                evicted.add(oldest);
            }
            count(visitor, 1);
        }
        for (Visitor oldest : evicted) {
            oldest.onEvicted.run();
        }
        return visitor;
    }

    private void count(Visitor visitor, int change) {
        switch (visitor.standing) {
            case STRANGER -> {
                connections += change;
                if (change > 0) {
                    strangers.add(visitor);
                } else {
                    strangers.remove(visitor);
                }
            }
            case GUEST -> {
                connections += change;
                guests += change;
            }
            case ADMITTED -> connections += change;
            case GONE -> {}
        }
    }

    synchronized int unadmitted() {
        return strangers.size() + guests;
    }

    synchronized int connections() {
        return connections;
    }
}
