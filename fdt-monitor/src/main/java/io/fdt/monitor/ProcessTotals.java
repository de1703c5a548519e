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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    private static final Map<Meter, ToLongBiFunction<SessionActivity, Direction>> METERS_OF_CLIENTS = Map.of(
            Meter.KEY_BYTES, value(Meter.BYTES),
            Meter.KEY_FILES, value(Meter.FILES));

    private final Map<Meter, Map<Direction, Long>> departed = sums(METERS.keySet());
    private final Map<EndedSessions, Long> ended = new LinkedHashMap<>();
    private final Map<FailedSessions, Long> failed = new LinkedHashMap<>();
    private final Map<Client, ClientTotals> clients = new LinkedHashMap<>();
    private final CopyHistograms copies = new CopyHistograms();

    /** The most pairs of a key and a host: a client chooses neither freely, but an operator may create many keys. */
    static final int MAX_CLIENTS = 64;

    /** Who opened a session. */
    private record Client(String key, String peer) {
        static final Client OTHERS = new Client(SessionTable.OTHERS, SessionTable.OTHERS);
    }

    /**
     * What sessions of one client did.
     *
     * @param ended by outcome, all of them, so that a share can be computed from the first session on
     * @param departed by meter and direction
     */
    private record ClientTotals(Map<String, Long> ended, Map<Meter, Map<Direction, Long>> departed) {
        static ClientTotals none() {
            Map<String, Long> ended = new LinkedHashMap<>();
            Summary.OUTCOMES.forEach(each -> ended.put(each, 0L));
            return new ClientTotals(ended, sums(METERS_OF_CLIENTS.keySet()));
        }
    }

    private record FailedSessions(String service, Cause cause) {}

    private record EndedSessions(String service, Direction direction, String outcome) {}

    ProcessTotals() {
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

    private static ToLongBiFunction<SessionActivity, Direction> value(Meter meter) {
        return Objects.requireNonNull(METERS.get(meter));
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
        copies.countEnd(known);
        if (!activity.key().isEmpty()) {
            totals(client(activity)).ended.merge(outcome, 1L, Long::sum);
        }
    }

    /** Returns whom a session counts for. */
    private Client client(SessionActivity activity) {
        Client client = new Client(activity.key(), FigureList.withoutPort(activity.peer()));
        Client counted = clients.containsKey(client) || clients.size() < MAX_CLIENTS ? client : Client.OTHERS;
        clients.computeIfAbsent(counted, first -> ClientTotals.none());
        return counted;
    }

    private ClientTotals totals(Client client) {
        return Objects.requireNonNull(clients.get(client));
    }

    /** Keeps the figures of a session that will not be present again. */
    void depart(SessionActivity activity) {
        addUp(departed, METERS, activity);
        if (!activity.key().isEmpty()) {
            addUp(totals(client(activity)).departed, METERS_OF_CLIENTS, activity);
        }
    }

    private static Map<Meter, Map<Direction, Long>> sums(Set<Meter> meters) {
        Map<Meter, Map<Direction, Long>> sums = new EnumMap<>(Meter.class);
        for (Meter meter : meters) {
            Map<Direction, Long> none = new EnumMap<>(Direction.class);
            for (Direction direction : Direction.values()) {
                none.put(direction, 0L);
            }
            sums.put(meter, none);
        }
        return sums;
    }

    private static Map<Meter, Map<Direction, Long>> copy(Map<Meter, Map<Direction, Long>> sums) {
        Map<Meter, Map<Direction, Long>> copy = new EnumMap<>(Meter.class);
        sums.forEach((meter, each) -> copy.put(meter, new EnumMap<>(each)));
        return copy;
    }

    private static void addUp(
            Map<Meter, Map<Direction, Long>> sums,
            Map<Meter, ToLongBiFunction<SessionActivity, Direction>> values,
            SessionActivity activity) {
        sums.forEach((meter, each) -> each.replaceAll((direction, sum) ->
                sum + Objects.requireNonNull(values.get(meter)).applyAsLong(activity, direction)));
    }

    /** Adds the totals, with those of the sessions that are present. */
    void addTo(FigureList figures, Iterable<ObservedSession> present) {
        Map<Meter, Map<Direction, Long>> all = copy(departed);
        Map<Client, Map<Meter, Map<Direction, Long>>> ofClients = new HashMap<>();
        for (ObservedSession session : present) {
            SessionActivity activity = session.activity();
            addUp(all, METERS, activity);
            if (!activity.key().isEmpty()) {
                addUp(
                        ofClients.computeIfAbsent(client(activity), known -> copy(totals(known).departed)),
                        METERS_OF_CLIENTS,
                        activity);
            }
        }
        all.forEach((meter, sums) ->
                sums.forEach((direction, sum) -> figures.add(meter, sum.longValue(), Word.of(direction))));
        failed.forEach((labels, count) ->
                figures.add(Meter.SESSIONS_FAILED, count.longValue(), labels.service, labels.cause.word()));
        clients.forEach((client, totals) -> {
            totals.ended.forEach((outcome, count) ->
                    figures.add(Meter.KEY_SESSIONS, count.longValue(), client.key, client.peer, outcome));
            ofClients
                    .getOrDefault(client, totals.departed)
                    .forEach((meter, sums) -> sums.forEach((direction, sum) ->
                            figures.add(meter, sum.longValue(), client.key, client.peer, Word.of(direction))));
        });
        copies.addTo(figures);
        ended.forEach((labels, count) -> figures.add(
                Meter.SESSIONS, count.longValue(), labels.service, Word.of(labels.direction), labels.outcome));
    }
}
