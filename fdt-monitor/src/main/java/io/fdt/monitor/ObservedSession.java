package io.fdt.monitor;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Word;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.RecentStages;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionState;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.monitor.figure.Sample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A session with its short name and the data of earlier samples, from which rates and the bottleneck of the last ten
 * seconds are computed. For the sampler's thread.
 */
final class ObservedSession {
    private static final int MAX_FILE_LENGTH = 120;
    private static final int MAX_MESSAGE_LENGTH = 300;

    private final int number;
    private final String shortName;
    private final SessionActivity activity;
    private final RecentStages stages;
    private final long firstSeenNanos;
    private final Map<Integer, Long> laneBytes = new HashMap<>();
    private long lastBytes;
    private long endedNanos;
    private boolean endSeen;
    private long endEpochMs;
    private boolean counted;

    /** @param number in {@link SessionNames} */
    ObservedSession(int number, String shortName, SessionActivity activity, long nowNanos) {
        this.number = number;
        this.shortName = shortName;
        this.firstSeenNanos = nowNanos;
        this.activity = activity;
        this.stages = new RecentStages(activity);
    }

    int number() {
        return number;
    }

    /** Whether it runs, and has for this long. */
    boolean lastsFor(long nanos, long nowNanos) {
        return !activity.state().isEnded() && nowNanos - firstSeenNanos >= nanos;
    }

    String shortName() {
        return shortName;
    }

    SessionActivity activity() {
        return activity;
    }

    /** Whether it ended at least this long ago. */
    boolean isOverFor(long nanos, long nowNanos) {
        if (!activity.state().isEnded()) {
            return false;
        }
        if (!endSeen) {
            endSeen = true;
            endedNanos = nowNanos;
        }
        return nowNanos - endedNanos >= nanos;
    }

    /** The time of day of its end, at this time of {@link Clock#SYSTEM}; always the same. */
    long endEpochMs(long nanos) {
        if (endEpochMs == 0) {
            endEpochMs = System.currentTimeMillis() - millis(Clock.SYSTEM.nanoTime() - nanos);
        }
        return endEpochMs;
    }

    /** Whether it has ended, and its result is known. */
    boolean hasResult() {
        SessionState known = activity.state();
        return known.isEnded() && known.summary() != null;
    }

    boolean isCounted() {
        return counted;
    }

    /** Marks the end of this session as counted. */
    void count() {
        counted = true;
    }

    /** Returns the payload that the lanes have carried so far. */
    long carried() {
        return activity.moved(Direction.OUT) + activity.moved(Direction.IN);
    }

    /** Of a copy as in its summary. A verification reads, and a test has one figure. */
    private Moved moved(SessionActivity.@Nullable Work work) {
        TransferFigures figures = work == null ? null : work.figures();
        if (work == null || figures == null) {
            return Moved.all(carried());
        }
        return work.service() == Service.VERIFY ? Moved.all(figures.bytesDone.get()) : figures.moved();
    }

    Direction direction() {
        return activity.state().direction();
    }

    /**
     * Takes a sample, for {@link #state} and {@link #limit}.
     *
     * @param foreignLoad whether other programs keep the cores busy
     */
    void look(boolean foreignLoad) {
        stages.look(foreignLoad);
    }

    /**
     * @param nowNanos the time of this sample
     * @param epochMs the same time
     */
    Sample.SessionState state(double seconds, long nowNanos, long epochMs) {
        SessionState known = activity.state();
        Summary summary = known.summary();
        SessionActivity.Work work = known.work();
        Long ended = known.ended();
        TransferFigures figures = work == null ? null : work.figures();
        Moved moved = moved(work);
        // The lanes know it best; a verification has none, and the copy of other servers has its lanes there.
        long progressed = Math.max(carried(), moved.sent());
        double rate = seconds <= 0 ? 0 : Math.max(0, progressed - lastBytes) / seconds;
        lastBytes = progressed;
        // If both ends are known to wait, what is said of the sender is true at either end.
        Direction reported = there() == null ? known.direction() : Direction.OUT;
        return new Sample.SessionState(
                new Sample.SessionName(
                        shortName,
                        Word.of(work == null ? Service.COPY : work.service()),
                        Word.of(known.direction()),
                        activity.peer(),
                        known.admission().key(),
                        known.admission().purpose()),
                new Sample.Amounts(
                        figures == null ? 0 : figures.filesDone.get(),
                        figures == null || !figures.totalsFinal ? -1 : figures.filesTotal.get(),
                        figures == null ? 0 : figures.filesFailed.get(),
                        figures == null ? moved.arrived() : figures.bytes().shown(),
                        figures == null || figures.endless ? -1 : figures.bytesTotal.get(),
                        moved,
                        rate),
                new Sample.Run(
                        epochMs - millis(nowNanos - activity.startNanos()),
                        ended == null ? -1 : epochMs - millis(nowNanos - ended),
                        summary == null ? null : summary.outcome(),
                        summary == null ? -1 : summary.exitCode(),
                        summary == null ? null : message(summary.message())),
                limit(reported, known),
                activity.counters().sum(Counter.RESENT_CHUNKS),
                figures == null ? null : shown(figures.file),
                lanes(known.laneCount()));
    }

    /** The bottleneck: of the last seconds, and after the end that of the whole session. */
    private Sample.@Nullable Limit limit(Direction reported, SessionState known) {
        if (activity.isPeerGone()) {
            return Verdicts.PEER_GONE;
        }
        if (known.isEnded()) {
            Summary summary = known.summary();
            return summary == null ? null : Verdicts.whole(summary.run().bottleneck());
        }
        Bottleneck.Share share = share();
        return share == null ? null : new Sample.Limit(Verdicts.limit(share), Verdicts.sentence(reported, share));
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, nanos));
    }

    private static @Nullable String lanes(SessionActivity.@Nullable LaneCount count) {
        return count == null ? null : message(count.lanes() + " lanes: " + count.why());
    }

    /** Limits the length: the peer chooses a path, and the history contains thousands of samples. */
    private static @Nullable String shown(@Nullable String file) {
        return file == null || file.length() <= MAX_FILE_LENGTH
                ? file
                : "…" + file.substring(file.length() - MAX_FILE_LENGTH + 1);
    }

    /** The same for a message, which begins with what matters most. */
    private static @Nullable String message(@Nullable String text) {
        return text == null || text.length() <= MAX_MESSAGE_LENGTH
                ? text
                : text.substring(0, MAX_MESSAGE_LENGTH - 1) + "…";
    }

    /** @param queueOfCore returns the queue by which a lane's packets reach a core; null if unknown */
    List<Sample.LaneState> lanes(double seconds, BiFunction<LaneActivity, Integer, @Nullable String> queueOfCore) {
        List<Sample.LaneState> states = new ArrayList<>();
        for (LaneActivity lane : activity.lanes()) {
            long bytes = lane.bytes();
            Long before = laneBytes.put(lane.index(), bytes);
            if (!lane.isOpen()) {
                continue;
            }
            double rate = seconds <= 0 || before == null ? 0 : Math.max(0, bytes - before) / seconds;
            var figures = lane.figures();
            boolean measuresPath = figures != null && lane.direction() == Direction.OUT;
            states.add(new Sample.LaneState(
                    shortName,
                    lane.index(),
                    Word.of(lane.direction()),
                    bytes,
                    rate,
                    figures == null || !measuresPath
                            ? Sample.Connection.UNKNOWN
                            : new Sample.Connection(
                                    figures.roundTrip().us(),
                                    figures.retransmits(),
                                    figures.windows().congestionBytes()),
                    figures == null
                            ? Sample.Place.UNKNOWN
                            : new Sample.Place(
                                    figures.place().core(),
                                    figures.place().incomingCore(),
                                    queueOfCore.apply(lane, figures.place().incomingCore()))));
        }
        return states;
    }

    /**
     * Returns the bottleneck of the last seconds, in the words of a summary; null if the session has ended or does not
     * copy.
     */
    @Nullable String limit() {
        if (activity.isPeerGone()) {
            return Verdicts.PEER_GONE.word();
        }
        Bottleneck.Share share = share();
        return share == null ? null : Verdicts.limit(share);
    }

    private Bottleneck.@Nullable Share share() {
        Bottleneck.Share here = stages.share();
        return here == null ? null : Bottleneck.ofBoth(direction(), here, there());
    }

    private Bottleneck.@Nullable Share there() {
        return activity.peerHost().share();
    }
}
