package io.fdt.monitor;

import io.fdt.core.stats.SessionActivity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sessions of this process, each under a short name. A session stays for a while after its end, so that who looks
 * every few seconds sees its last figures, too. Sessions come by {@link #add} on any thread; the rest belongs to the
 * sampler's.
 */
final class SessionTable {
    static final int MAX_SESSIONS = 64;
    static final int MAX_LANES = 256;

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final int DIRECTIONS = SessionActivity.Direction.values().length;

    private final String prefix;
    private final Queue<SessionActivity> arrivals = new ConcurrentLinkedQueue<>();
    private final List<ObservedSession> observed = new ArrayList<>();
    private final ArrayDeque<ObservedSession> beyond = new ArrayDeque<>();
    private final long[] departedBytes = new long[DIRECTIONS];
    private final AtomicLong refused = new AtomicLong();
    private long names;
    private boolean wereBeyond;

    /** @param role of the process; its first letter begins the names, so those of server and client differ */
    SessionTable(String role) {
        this.prefix = role.substring(0, 1);
    }

    /** Any thread. */
    void add(SessionActivity session) {
        arrivals.add(session);
    }

    /** Any thread. */
    void countRefused() {
        refused.incrementAndGet();
    }

    /** How many were refused; never on any process but a server. */
    long refused() {
        return refused.get();
    }

    /** Takes in who came, and lets go who has been over for long; other programs fill the cores or not. */
    void refresh(long nowNanos, boolean foreignLoad) {
        observed.removeIf(session -> session.isOverFor(LINGER_NANOS, nowNanos));
        beyond.removeIf(session -> {
            boolean over = session.activity().isEnded();
            if (over) {
                departedBytes[index(session.direction())] += session.moved();
            }
            return over;
        });
        SessionActivity arrived;
        while ((arrived = arrivals.poll()) != null) {
            names++;
            ObservedSession session = new ObservedSession(prefix + names, arrived);
            if (observed.size() < MAX_SESSIONS) {
                observed.add(session);
            } else {
                beyond.add(session);
                wereBeyond = true;
            }
        }
        observed.forEach(session -> session.look(foreignLoad));
    }

    /** Those that are shown one by one. */
    List<ObservedSession> observed() {
        return observed;
    }

    /** What all others moved together in this direction, those that are over included; it never falls. */
    long bytesBeyond(SessionActivity.Direction direction) {
        long bytes = departedBytes[index(direction)];
        for (ObservedSession session : beyond) {
            bytes += session.direction() == direction ? session.moved() : 0;
        }
        return bytes;
    }

    /** Whether there were ever more at a time than are shown one by one. */
    boolean wasBeyond() {
        return wereBeyond;
    }

    @SuppressWarnings("EnumOrdinal") // an index into memory, never stored or sent
    private static int index(SessionActivity.Direction direction) {
        return direction.ordinal();
    }
}
