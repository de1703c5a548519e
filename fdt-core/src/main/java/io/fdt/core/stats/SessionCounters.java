package io.fdt.core.stats;

import io.fdt.core.stats.LaneCounters.Counter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** The figures of one session: its lanes' counters, kept beyond a lane's death, and what the flusher spent. */
public final class SessionCounters {
    private final ConcurrentMap<Integer, LaneCounters> lanes = new ConcurrentHashMap<>();
    private final AtomicLong flushNanos = new AtomicLong();
    private final ForeignLoad foreignLoad = ForeignLoad.begin();

    /** The counters of a lane by its number; a lane that is opened again goes on counting. */
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

    /** Of this host, since the session's start. */
    ForeignLoad foreignLoad() {
        return foreignLoad;
    }
}
