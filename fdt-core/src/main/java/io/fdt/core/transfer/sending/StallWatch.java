package io.fdt.core.transfer.sending;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.StreamFigures;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Finds lanes that are open and move nothing: with chunks that nobody acknowledges, and no block sent, for the timeout.
 * Such a lane is given up, so that its chunks go to the others. A lane that waits for the disk of either side is none
 * of them. One whose packets are not even answered, while another lane moves, is given up at once. Belongs to the
 * session's thread.
 */
final class StallWatch {
    /** A lane that has not moved for so long is looked at. */
    private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The first of them may be an accident. */
    private static final int SILENT_TIMEOUTS = 2;

    private final ChunkQueue queue;
    private final Clock clock;
    private final long timeoutNanos;
    private final IntConsumer givenUp;
    private final Map<Integer, Watched> lanes = new HashMap<>();
    private long movedNanos;

    private static final class Watched {
        final int index;
        final Lane lane;
        final SenderLane sending;
        long movement = -1;
        long sinceNanos;
        volatile boolean givenUp;

        Watched(int index, Lane lane, SenderLane sending) {
            this.index = index;
            this.lane = lane;
            this.sending = sending;
        }
    }

    /** @param givenUp is told each lane's number, on any thread */
    StallWatch(ChunkQueue queue, Clock clock, long timeoutMs, IntConsumer givenUp) {
        this.queue = queue;
        this.clock = clock;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        this.givenUp = givenUp;
    }

    void onJoined(int key, int index, Lane lane, SenderLane sending) {
        lanes.put(key, new Watched(index, lane, sending));
    }

    /** The receiver says that these lanes are at work on its side. */
    void onBusy(int[] indices) {
        long now = clock.nanoTime();
        for (Watched watched : lanes.values()) {
            for (int index : indices) {
                if (watched.index == index) {
                    watched.sinceNanos = now;
                }
            }
        }
    }

    void onClosed(int key) {
        lanes.remove(key);
    }

    void check() {
        long now = clock.nanoTime();
        lanes.forEach((key, watched) -> {
            long movement = watched.sending.blocksSent() + queue.acknowledged(key);
            if (movement != watched.movement || watched.sending.isWorking()) {
                watched.movement = movement;
                watched.sinceNanos = now;
                movedNanos = now;
            } else if (now - watched.sinceNanos > timeoutNanos) {
                watched.sinceNanos = now;
                if (queue.hasClaims(key)) {
                    giveUp(
                            watched,
                            "a lane to " + watched.lane.peer() + " moved no data for "
                                    + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s");
                }
            } else if (now - watched.sinceNanos > SILENT_NANOS && now - movedNanos < SILENT_NANOS) {
                watched.lane.execute(() -> giveUpIfUnanswered(watched));
            }
        });
    }

    /** On the lane's thread. */
    private void giveUpIfUnanswered(Watched watched) {
        StreamFigures figures = watched.lane.figures();
        if (figures != null && figures.timeouts() >= SILENT_TIMEOUTS) {
            giveUp(watched, watched.lane.peer() + " does not answer on a lane, but on others");
        }
    }

    /** Once, however often it is looked at before it has ended: by the next time the peer may have another lane. */
    private void giveUp(Watched watched, String why) {
        if (watched.givenUp) {
            return;
        }
        watched.givenUp = true;
        watched.lane.abort(FailureKind.CONNECTION_LOST.failure(why));
        givenUp.accept(watched.index);
    }
}
