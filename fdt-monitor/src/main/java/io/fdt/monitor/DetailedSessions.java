package io.fdt.monitor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Chooses the sessions whose metrics include details: their lanes, what these spend their time on, and the changes of
 * their number. Among few sessions these are all of them. Among many, they are those that last and moved the most; one
 * is chosen every ten seconds, because its details are many new series in a database. For the sampler's thread.
 */
final class DetailedSessions {
    static final int MAX_SESSIONS = 32;
    static final int MAX_LANES = 256;

    /** The duration from which on one of many sessions may be chosen, and the time between two choices. */
    static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Comparator<ObservedSession> BY_MOVED = Comparator.comparingLong(ObservedSession::carried);

    /** The one that has moved most comes first. */
    private final List<ObservedSession> chosen = new ArrayList<>();

    private List<ObservedSession> fitting = List.of();
    private long chosenNanos = Long.MIN_VALUE;

    /**
     * @param observed the sessions that are shown one by one
     * @param few whether there were at most {@link #MAX_SESSIONS} in the last minutes
     */
    void refresh(List<ObservedSession> observed, boolean few, long nowNanos) {
        chosen.retainAll(observed);
        List<ObservedSession> others = observed.stream()
                .filter(session -> !session.activity().lanes().isEmpty() && !chosen.contains(session))
                .toList();
        if (few) {
            chosen.addAll(others);
        }
        if (chosenNanos == Long.MIN_VALUE || nowNanos - chosenNanos >= LASTING_NANOS) {
            chosenNanos = nowNanos;
            if (!few) {
                chooseOneOf(others, nowNanos);
            }
            chosen.sort(BY_MOVED.reversed());
        }
        fitting = fitting();
    }

    private void chooseOneOf(List<ObservedSession> others, long nowNanos) {
        ObservedSession most = others.stream()
                .filter(session -> session.lastsFor(LASTING_NANOS, nowNanos))
                .max(BY_MOVED)
                .orElse(null);
        if (most == null) {
            return;
        }
        if (chosen.size() >= MAX_SESSIONS) {
            ObservedSession least = chosen.stream().min(BY_MOVED).orElseThrow();
            if (least.carried() >= most.carried()) {
                return;
            }
            chosen.remove(least);
        }
        chosen.add(most);
    }

    private List<ObservedSession> fitting() {
        List<ObservedSession> found = new ArrayList<>();
        int left = MAX_LANES;
        for (ObservedSession session : chosen) {
            int lanes = session.activity().lanes().size();
            if (lanes <= left) {
                left -= lanes;
                found.add(session);
            }
        }
        return found;
    }

    boolean contains(ObservedSession session) {
        return fitting.contains(session);
    }
}
