package io.fdt.monitor;

import io.fdt.core.failure.Cause;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.SessionActivity;
import io.fdt.monitor.figure.Meter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * The sessions of this process, each with a short name. A session is kept for a while after its end, so that readers
 * that poll every few seconds also see its last figures. {@link #add} may be called on any thread, other methods only
 * on the sampler's.
 */
final class SessionTable {
    static final int MAX_SESSIONS = 64;

    /** The label of all sessions that are not shown individually. */
    static final String OTHERS = "others";

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final String role;
    private final Queue<SessionActivity> arrivals = new ConcurrentLinkedQueue<>();
    private final List<ObservedSession> observed = new ArrayList<>();
    private final ArrayDeque<ObservedSession> beyond = new ArrayDeque<>();
    private final Map<SessionActivity.Direction, Long> departedBytes = new EnumMap<>(SessionActivity.Direction.class);
    private final ProcessTotals totals = new ProcessTotals();
    private final Map<Cause, Long> refused = new ConcurrentHashMap<>();
    private final SessionNames names;
    private final DetailedSessions detailed = new DetailedSessions();
    private boolean wereBeyond;

    /** @param role of the process; names start with its first letter, so those of server and client differ */
    SessionTable(String role) {
        this.role = role;
        this.names = new SessionNames(role.substring(0, 1));
    }

    String role() {
        return role;
    }

    /** Any thread. */
    void add(SessionActivity session) {
        arrivals.add(session);
    }

    /** Any thread. */
    void countRefused(Cause cause) {
        refused.merge(cause, 1L, Long::sum);
    }

    void addRefused(FigureList figures) {
        for (Cause cause : Cause.values()) {
            long count = refused.getOrDefault(cause, 0L);
            if (count > 0 || isUsual(cause)) {
                figures.add(Meter.SERVER_REFUSED, count, cause.word());
            }
        }
    }

    /** Whether its count is exported from the start, so that the first refusal is an increase. */
    private static boolean isUsual(Cause cause) {
        return switch (cause) {
            case NOT_FDT, NO_ANSWER, UNAVAILABLE, MISSING -> true;
            default ->
                switch (cause.kind()) {
                    case REFUSED, LIMIT, VERSION -> true;
                    default -> false;
                };
        };
    }

    /**
     * Adds new sessions, and removes those that ended long enough ago.
     *
     * @param foreignLoad whether other programs keep the cores busy
     */
    void refresh(long nowNanos, boolean foreignLoad) {
        observed.removeIf(session -> {
            boolean over = session.isOverFor(LINGER_NANOS, nowNanos);
            if (over) {
                depart(session);
                names.give(session.number(), nowNanos);
            }
            return over;
        });
        beyond.removeIf(session -> {
            boolean known = session.hasResult();
            boolean over = known || session.isOverFor(LINGER_NANOS, nowNanos);
            if (over) {
                for (SessionActivity.Direction direction : SessionActivity.Direction.values()) {
                    departedBytes.merge(direction, session.activity().moved(direction), Long::sum);
                }
                depart(session);
            }
            return over;
        });
        SessionActivity arrived;
        while ((arrived = arrivals.poll()) != null) {
            if (observed.size() < MAX_SESSIONS) {
                int number = names.take(nowNanos);
                observed.add(new ObservedSession(number, names.name(number), arrived, nowNanos));
            } else {
                beyond.add(new ObservedSession(0, OTHERS, arrived, nowNanos));
                wereBeyond = true;
            }
        }
        observed.forEach(session -> session.look(foreignLoad));
        detailed.refresh(observed, names.inUse() <= DetailedSessions.MAX_SESSIONS, nowNanos);
        for (ObservedSession session : present()) {
            if (session.hasResult()) {
                countEnd(session);
            }
        }
    }

    private void countEnd(ObservedSession session) {
        if (session.activity().state().isEnded() && !session.isCounted()) {
            session.count();
            totals.countEnd(session.activity());
        }
    }

    private void depart(ObservedSession session) {
        countEnd(session);
        totals.depart(session.activity());
    }

    private List<ObservedSession> present() {
        List<ObservedSession> present = new ArrayList<>(observed);
        present.addAll(beyond);
        return present;
    }

    /** Adds the totals of all sessions since the start of the process. */
    void addTotals(FigureList figures) {
        totals.addTo(figures, present());
        figures.add(
                Meter.SESSIONS_PEER_GONE,
                present().stream()
                        .filter(session -> session.activity().isPeerGone())
                        .count());
        figures.add(Meter.SESSIONS_WITHOUT_DETAILS, withoutDetails());
    }

    List<ObservedSession> observed() {
        return observed;
    }

    /** Whether the metrics of this session include its lanes, what they do, and the changes of their number. */
    boolean hasDetails(ObservedSession session) {
        return detailed.contains(session);
    }

    /** Returns how many sessions with open lanes have no such metrics. */
    private long withoutDetails() {
        return present().stream()
                .filter(session ->
                        session.activity().lanes().stream().anyMatch(LaneActivity::isOpen) && !hasDetails(session))
                .count();
    }

    /**
     * Returns the total payload that all other sessions have moved in this direction, including ended ones; never
     * falls.
     */
    long bytesBeyond(SessionActivity.Direction direction) {
        long bytes = departedBytes.getOrDefault(direction, 0L);
        for (ObservedSession session : beyond) {
            bytes += session.activity().moved(direction);
        }
        return bytes;
    }

    /** Whether there have ever been too many sessions at a time to show each individually. */
    boolean wasBeyond() {
        return wereBeyond;
    }
}
