package io.fdt.core.transfer.sending;

import io.fdt.core.control.Session;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.transfer.LaneWatch;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.TransferMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Passes a session's sending lanes to their {@link LaneTuner} and carries out its advice: has lanes opened, here or by
 * the receiving client, and ends others. For the session's thread.
 */
final class AutoLanes {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Session session;
    private final LaneWatch watch;
    private final Retirement retirement;
    private final ChunkQueue queue;
    private final LaneTuner tuner;
    private final boolean fixed;

    private boolean bbr;

    private long lookedNanos;

    AutoLanes(Session session, LaneRange range, LaneWatch watch, Retirement retirement, ChunkQueue queue) {
        this.session = session;
        this.watch = watch;
        this.retirement = retirement;
        this.queue = queue;
        this.tuner = new LaneTuner(range);
        this.fixed = range.isFixed();
    }

    void onJoined(int index, Lane lane) {
        if (bbr) {
            lane.execute(() -> lane.connection().useBbr(true));
        }
        if (!fixed && index >= tuner.lanes()) {
            // The client dialled it before it learned that fewer are needed.
            retirement.retire(index);
        }
    }

    /** Cheap if it is not time for a check. */
    void check() {
        long now = session.clock().nanoTime();
        if (fixed || now - lookedNanos < PERIOD_NANOS) {
            return;
        }
        lookedNanos = now;
        LaneTuner.Advice advice = tuner.look(look(now));
        if (advice != null) {
            follow(advice);
        }
    }

    /** There is more work: opens the lanes that a copy starts with, as far as they find something to do. */
    void onWork() {
        if (fixed || tuner.hasStarted()) {
            return;
        }
        boolean longPath = session.activity().lanes().stream()
                .map(LaneActivity::figures)
                .anyMatch(figures ->
                        figures != null && LaneTuner.isLong(figures.roundTrip().minUs()));
        LaneTuner.Advice advice = tuner.useful(longPath ? queue.usefulLanes() : queue.placesForLanes());
        if (advice != null) {
            follow(advice);
        }
    }

    private void follow(LaneTuner.Advice advice) {
        if (advice.bbr() != bbr) {
            bbr = advice.bbr();
            watch.open()
                    .forEach(each ->
                            each.lane().execute(() -> each.lane().connection().useBbr(advice.bbr())));
        }
        session.activity().wantLanes(advice.lanes(), advice.reason(), advice.why());
        if (!watch.request(advice.lanes())) {
            session.send(new TransferMessage.LanesWanted(advice.lanes(), advice.reason(), advice.why()));
        }
        retirement.retireFrom(advice.lanes());
    }

    private LaneTuner.Look look(long now) {
        Map<Integer, Integer> keys = new HashMap<>();
        watch.open().forEach(open -> keys.put(open.index(), open.key()));
        List<LaneTuner.Lane> lanes = new ArrayList<>();
        session.activity().lanes().forEach(lane -> {
            StreamFigures figures = lane.figures();
            Integer key = keys.get(lane.index());
            if (key != null && lane.isOpen() && figures != null) {
                lanes.add(new LaneTuner.Lane(
                        key,
                        figures.ackedBytes(),
                        figures.retransmits(),
                        figures.roundTrip().us(),
                        figures.roundTrip().minUs(),
                        figures.time().receiverLimitedUs()));
            }
        });
        long blocked = sum(Counter.BLOCKED_NANOS);
        long computing = sum(Counter.HASH_NANOS) + sum(Counter.SEND_NANOS);
        long others = sum(Counter.READ_NANOS) + sum(Counter.IDLE_NANOS) + sum(Counter.LIMITED_NANOS);
        LaneTuner.Spent spent = new LaneTuner.Spent(blocked, computing, blocked + computing + others);
        boolean mayUseBbr =
                watch.open().stream().allMatch(each -> each.lane().connection().mayUseBbr());
        return new LaneTuner.Look(now, lanes, mayUseBbr, spent);
    }

    private long sum(Counter counter) {
        return session.counters().sum(counter);
    }
}
