package io.fdt.core.transfer.sending;

import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.stats.StreamFigures;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Finds lanes that are open and move nothing: with chunks that are not acknowledged, and no block sent, for the
 * timeout. Such a lane is given up, so that its chunks go to the others. A lane that waits for the disk of either side
 * is not one of them. One whose packets are not answered at all, while another lane moves, is given up at once. For the
 * session's thread.
 */
final class StallWatch {
    /** A lane that has not moved for this long is checked. */
    private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The first one may be a coincidence. */
    private static final int SILENT_TIMEOUTS = 2;

    private final Map<Integer, OpenLane> lanes;
    private final ChunkQueue queue;
    private final Clock clock;
    private final long timeoutNanos;
    private final IntConsumer givenUp;
    private long movedNanos;

    /**
     * @param lanes by key, always up to date
     * @param givenUp receives each lane's number, on any thread
     */
    StallWatch(Map<Integer, OpenLane> lanes, ChunkQueue queue, Clock clock, long timeoutMs, IntConsumer givenUp) {
        this.lanes = lanes;
        this.queue = queue;
        this.clock = clock;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        this.givenUp = givenUp;
    }

    /** The receiver reports that these lanes are busy on its side. */
    void onBusy(int[] indices) {
        long now = clock.nanoTime();
        for (OpenLane lane : lanes.values()) {
            for (int index : indices) {
                if (lane.index == index) {
                    lane.sinceNanos = now;
                }
            }
        }
    }

    void check() {
        long now = clock.nanoTime();
        lanes.forEach((key, lane) -> {
            long movement = lane.sending.blocksSent() + queue.acknowledgedBytes(key);
            if (movement != lane.movement || lane.sending.isWorking()) {
                lane.movement = movement;
                lane.sinceNanos = now;
                movedNanos = now;
            } else if (now - lane.sinceNanos > timeoutNanos) {
                lane.sinceNanos = now;
                if (queue.hasClaims(key)) {
                    giveUp(
                            lane,
                            "a lane to " + lane.lane.peer() + " moved no data for "
                                    + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s");
                }
            } else if (now - lane.sinceNanos > SILENT_NANOS && now - movedNanos < SILENT_NANOS) {
                lane.lane.execute(() -> giveUpIfUnanswered(lane));
            }
        });
    }

    /** On the lane's thread. */
    private void giveUpIfUnanswered(OpenLane lane) {
        StreamFigures figures = lane.lane.connection().figures();
        if (figures != null && figures.timeouts() >= SILENT_TIMEOUTS) {
            giveUp(lane, lane.lane.peer() + " does not answer on a lane, but on others");
        }
    }

    /** Once, however often it is checked before it has ended: by the next time, the peer may have another lane. */
    private void giveUp(OpenLane lane, String why) {
        if (lane.givenUp) {
            return;
        }
        lane.givenUp = true;
        lane.lane.abort(Cause.CONNECTION_LOST.failure(why));
        givenUp.accept(lane.index);
    }
}
