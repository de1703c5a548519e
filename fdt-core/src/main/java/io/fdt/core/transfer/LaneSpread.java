package io.fdt.core.transfer;

import io.fdt.core.control.Session;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.SpreadWatch;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Passes a session's lanes to its {@link SpreadWatch}: every second while the session is young or lanes have been
 * replaced, every five seconds later. For the session's thread.
 */
public final class LaneSpread {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CALM_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CALM_AFTER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Session session;
    private final LaneWatch lanes;
    private final SpreadWatch watch;
    private final Counter moved;
    private final Consumer<String> tell;

    private long lookedNanos;
    private long stirredNanos;

    /** @param tell receives messages for the user */
    public LaneSpread(Session session, LaneWatch lanes, SpreadWatch watch, Counter moved, Consumer<String> tell) {
        this.session = session;
        this.lanes = lanes;
        this.watch = watch;
        this.moved = moved;
        this.tell = tell;
        this.lookedNanos = session.clock().nanoTime();
        this.stirredNanos = lookedNanos;
    }

    /** Called when a lane was closed. */
    public void onLanesChanged() {
        stirredNanos = session.clock().nanoTime();
    }

    /** The lanes to redial, usually none. Cheap if it is not time for a check. */
    public List<Integer> lanesToReplace() {
        long now = session.clock().nanoTime();
        long period = now - stirredNanos > CALM_AFTER_NANOS ? CALM_PERIOD_NANOS : PERIOD_NANOS;
        if (watch == SpreadWatch.NONE || lanes.open().size() < 2 || now - lookedNanos < period) {
            return List.of();
        }
        lookedNanos = now;
        Map<Integer, SpreadWatch.Stream> streams = new TreeMap<>();
        for (LaneWatch.Open open : lanes.open()) {
            Lane.Ends ends = open.lane().connection().ends();
            if (ends != null) {
                long bytes = session.counters().lane(open.index()).get(moved);
                streams.put(open.index(), new SpreadWatch.Stream(open.index(), ends, bytes));
            }
        }
        SpreadWatch.Advice advice = watch.look(now, List.copyOf(streams.values()));
        String note = advice.note();
        if (note != null) {
            tell.accept(note);
        }
        return advice.lanes();
    }
}
