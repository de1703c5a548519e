package io.fdt.core.transfer;

import io.fdt.core.control.Session;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.SpreadWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Shows a session's lanes to its {@link SpreadWatch}: every second while it is young or lanes have moved, every five
 * later. Belongs to the session's thread.
 */
public final class LaneSpread {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CALM_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CALM_AFTER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Session session;
    private final SpreadWatch watch;
    private final Counter moved;
    private final Consumer<String> tell;

    /** By the lane's number; of two with the same the later. */
    private final Map<Integer, Lane> lanes = new TreeMap<>();

    private long lookedNanos;
    private long stirredNanos;

    /** @param tell what people should know */
    public LaneSpread(Session session, SpreadWatch watch, Counter moved, Consumer<String> tell) {
        this.session = session;
        this.watch = watch;
        this.moved = moved;
        this.tell = tell;
        this.lookedNanos = session.clock().nanoTime();
        this.stirredNanos = lookedNanos;
    }

    public void onJoined(int index, Lane lane) {
        lanes.put(index, lane);
    }

    public void onClosed(int index, Lane lane) {
        lanes.remove(index, lane);
        stirredNanos = session.clock().nanoTime();
    }

    /** The lanes that are to be dialled again, mostly none. Cheap while no look is due. */
    public List<Integer> lanesToReplace() {
        long now = session.clock().nanoTime();
        long period = now - stirredNanos > CALM_AFTER_NANOS ? CALM_PERIOD_NANOS : PERIOD_NANOS;
        if (watch == SpreadWatch.NONE || lanes.size() < 2 || now - lookedNanos < period) {
            return List.of();
        }
        lookedNanos = now;
        List<SpreadWatch.Stream> streams = new ArrayList<>();
        lanes.forEach((index, lane) -> {
            Lane.Ends ends = lane.ends();
            if (ends != null) {
                long bytes = session.counters().lane(index).get(moved);
                streams.add(new SpreadWatch.Stream(index, ends, bytes));
            }
        });
        SpreadWatch.Advice advice = watch.look(now, streams);
        String note = advice.note();
        if (note != null) {
            tell.accept(note);
        }
        return advice.lanes();
    }
}
