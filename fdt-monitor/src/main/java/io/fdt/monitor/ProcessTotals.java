package io.fdt.monitor;

import io.fdt.core.basic.Word;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionState;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.monitor.figure.Meter;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/**
 * The totals of all sessions since the start of the process. Every series exists from the start and never falls, so
 * that also what a short session did shows as a difference between two scrapes. For the sampler's thread.
 */
final class ProcessTotals {
    /** The service of a session that neither copies, verifies nor tests, such as one of {@code ls}. */
    private static final String OTHER = "other";

    private static final Map<Meter, ToLongBiFunction<SessionActivity, Direction>> METERS = Map.of(
            Meter.BYTES, SessionActivity::moved,
            Meter.FILES, ofWork(activity -> files(activity, figures -> figures.filesPlaced.get())),
            Meter.FILES_FAILED, ofWork(activity -> files(activity, figures -> figures.filesFailed.get())),
            Meter.CHUNKS_RESENT, ofWork(activity -> activity.counters().sum(Counter.RESENT_CHUNKS)),
            Meter.RETRANSMITS, SessionActivity::retransmits);

    private final Map<Meter, Map<Direction, Long>> departed = new EnumMap<>(Meter.class);
    private final Map<EndedSessions, Long> ended = new LinkedHashMap<>();
    private final Map<FailedSessions, Long> failed = new LinkedHashMap<>();
    private final Map<Client, Map<String, Long>> endedOf = new LinkedHashMap<>();

    /** The most pairs of a key and a host: a client chooses neither freely, but an operator may create many keys. */
    static final int MAX_CLIENTS = 64;

    /** Who opened a session. */
    private record Client(String key, String peer) {
        static final Client OTHERS = new Client(SessionTable.OTHERS, SessionTable.OTHERS);
    }

    private record FailedSessions(String service, Cause cause) {}

    private record EndedSessions(String service, Direction direction, String outcome) {}

    ProcessTotals() {
        for (Meter meter : METERS.keySet()) {
            departed.put(meter, new EnumMap<>(Direction.class));
        }
        for (Service service : Service.values()) {
            addOutcomes(Word.of(service));
        }
        addOutcomes(OTHER);
    }

    private void addOutcomes(String service) {
        for (Direction direction : Direction.values()) {
            for (String outcome : Summary.OUTCOMES) {
                ended.put(new EndedSessions(service, direction, outcome), 0L);
            }
        }
    }

    /** A figure that counts in the direction of the session's work, even if it has lanes of both. */
    private static ToLongBiFunction<SessionActivity, Direction> ofWork(ToLongFunction<SessionActivity> value) {
        return (activity, direction) -> direction == activity.state().direction() ? value.applyAsLong(activity) : 0;
    }

    private static long files(SessionActivity activity, ToLongFunction<TransferFigures> count) {
        SessionActivity.Work work = activity.state().work();
        TransferFigures figures = work == null ? null : work.figures();
        return figures == null ? 0 : count.applyAsLong(figures);
    }

    void countEnd(SessionActivity activity) {
        SessionState known = activity.state();
        SessionActivity.Kind kind = known.kind();
        Summary summary = known.summary();
        String service = kind == null ? OTHER : Word.of(kind.service());
        String outcome = summary == null ? Summary.outcomeOf(null) : summary.outcome();
        ended.merge(new EndedSessions(service, known.direction(), outcome), 1L, Long::sum);
        Failure failure = summary == null ? null : summary.failure();
        if (failure != null) {
            failed.merge(new FailedSessions(service, failure.cause()), 1L, Long::sum);
        }
        if (!activity.key().isEmpty()) {
            countOf(new Client(activity.key(), FigureList.withoutPort(activity.peer())), outcome);
        }
    }

    private void countOf(Client client, String outcome) {
        boolean fits = endedOf.containsKey(client) || endedOf.size() < MAX_CLIENTS;
        endedOf.computeIfAbsent(fits ? client : Client.OTHERS, first -> {
                    // All of them, so that a share can be computed from the first session on.
                    Map<String, Long> counts = new LinkedHashMap<>();
                    Summary.OUTCOMES.forEach(each -> counts.put(each, 0L));
                    return counts;
                })
                .merge(outcome, 1L, Long::sum);
    }

    /** Keeps the figures of a session that will not be present again. */
    void depart(SessionActivity activity) {
        METERS.forEach((meter, value) -> {
            Map<Direction, Long> sums = departed.get(meter);
            if (sums != null) {
                merge(sums, value, activity);
            }
        });
    }

    private static void merge(
            Map<Direction, Long> sums, ToLongBiFunction<SessionActivity, Direction> value, SessionActivity activity) {
        for (Direction direction : Direction.values()) {
            sums.merge(direction, value.applyAsLong(activity, direction), Long::sum);
        }
    }

    /** Adds the totals, with those of the sessions that are present. */
    void addTo(FigureList figures, Iterable<ObservedSession> present) {
        METERS.forEach((meter, value) -> {
            Map<Direction, Long> sums = new EnumMap<>(Direction.class);
            sums.putAll(departed.getOrDefault(meter, Map.of()));
            for (ObservedSession session : present) {
                merge(sums, value, session.activity());
            }
            for (Direction direction : Direction.values()) {
                figures.add(meter, sums.getOrDefault(direction, 0L).longValue(), Word.of(direction));
            }
        });
        failed.forEach((labels, count) ->
                figures.add(Meter.SESSIONS_FAILED, count.longValue(), labels.service, labels.cause.word()));
        endedOf.forEach((client, counts) -> counts.forEach((outcome, count) ->
                figures.add(Meter.KEY_SESSIONS, count.longValue(), client.key, client.peer, outcome)));
        ended.forEach((labels, count) -> figures.add(
                Meter.SESSIONS, count.longValue(), labels.service, Word.of(labels.direction), labels.outcome));
    }
}
