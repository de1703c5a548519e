package io.fdt.core.stats;

import io.fdt.core.stats.LaneCounters.Counter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** The counters of one session: those of its lanes, which outlive the lanes, and the time of the flusher. */
public final class SessionCounters {
    private final ConcurrentMap<Integer, LaneCounters> lanes = new ConcurrentHashMap<>();
    private final AtomicLong flushNanos = new AtomicLong();
    private final ForeignLoad foreignLoad;

    public SessionCounters() {
        this(new ForeignLoad());
    }

    SessionCounters(ForeignLoad foreignLoad) {
        this.foreignLoad = foreignLoad;
    }

    /** Returns the counters of a lane by its number. A lane that is opened again continues to count. */
    public LaneCounters lane(int index) {
        return lanes.computeIfAbsent(index, key -> new LaneCounters());
    }

    public int lanes() {
        return lanes.size();
    }

    public long sum(Counter counter) {
        long sum = 0;
        for (LaneCounters lane : lanes.values()) {
            sum += lane.get(counter);
        }
        return sum;
    }

    public void addFlushNanos(long nanos) {
        flushNanos.addAndGet(nanos);
    }

    public long flushNanos() {
        return flushNanos.get();
    }

    /** For the session's thread, several times a second. */
    public void onTick(long elapsedNanos) {
        foreignLoad.onTick(elapsedNanos);
    }

    /** The foreign load of this host during the session. */
    ForeignLoad foreignLoad() {
        return foreignLoad;
    }
}
