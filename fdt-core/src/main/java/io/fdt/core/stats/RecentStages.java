package io.fdt.core.stats;

import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import org.jspecify.annotations.Nullable;

/**
 * What the lanes of this end of a session spent the last ten seconds on, from a look at its counters each second. For
 * one thread at a time.
 */
public final class RecentStages {
    private static final int WINDOW_SAMPLES = 10;

    private final SessionActivity activity;
    private final long[][] spent = new long[WINDOW_SAMPLES + 1][];
    private int samples;
    private boolean othersFillTheCores;

    public RecentStages(SessionActivity activity) {
        this.activity = activity;
    }

    /**
     * Takes a sample; called each second.
     *
     * @param foreignLoad whether other programs keep the cores of this host busy
     */
    public void look(boolean foreignLoad) {
        othersFillTheCores = foreignLoad;
        spent[samples % spent.length] = stages();
        samples++;
    }

    /**
     * Returns the activity that takes most of the time, as {@link Bottleneck} does for a whole session; null before the
     * second sample, after the end, and for a session that does not copy.
     */
    public Bottleneck.@Nullable Share share() {
        SessionState state = activity.state();
        SessionActivity.Work work = state.work();
        if (work == null || work.service() != Service.COPY || state.isEnded() || samples < 2) {
            return null;
        }
        long[] now = spent[(samples - 1) % spent.length];
        long[] then = spent[samples > WINDOW_SAMPLES ? samples % spent.length : 0];
        int flush = now.length - 1;
        Bottleneck.Share found = work.direction() == Direction.OUT
                ? Bottleneck.ofSender(counter -> now[index(counter)] - then[index(counter)])
                : Bottleneck.ofReceiver(
                        counter -> now[index(counter)] - then[index(counter)],
                        (now[flush] - then[flush])
                                * Math.max(1, activity.counters().lanes()));
        return found.ifOthersFillTheCores(othersFillTheCores);
    }

    private long[] stages() {
        Counter[] counters = Counter.values();
        long[] sums = new long[counters.length + 1];
        for (Counter counter : counters) {
            sums[index(counter)] = activity.counters().sum(counter);
        }
        sums[counters.length] = activity.counters().flushNanos();
        return sums;
    }

    @SuppressWarnings("EnumOrdinal") // an index into memory, never stored or sent
    private static int index(Counter counter) {
        return counter.ordinal();
    }
}
