package io.fdt.core.transfer.sending;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.transport.Lane;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Finds lanes that are open and move nothing: with chunks that nobody acknowledges, and no block sent, for the timeout.
 * Such a lane is given up, so that its chunks go to the others. A lane that waits for the disk of either side is none
 * of them. Belongs to the session's thread.
 */
final class StallWatch {
    private final ChunkQueue queue;
    private final Clock clock;
    private final long timeoutNanos;
    private final Map<Integer, Watched> lanes = new HashMap<>();

    private static final class Watched {
        final int index;
        final Lane lane;
        final SenderLane sending;
        long movement = -1;
        long sinceNanos;

        Watched(int index, Lane lane, SenderLane sending) {
            this.index = index;
            this.lane = lane;
            this.sending = sending;
        }
    }

    StallWatch(ChunkQueue queue, Clock clock, long timeoutMs) {
        this.queue = queue;
        this.clock = clock;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
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
            } else if (now - watched.sinceNanos > timeoutNanos) {
                watched.sinceNanos = now;
                if (queue.hasClaims(key)) {
                    watched.lane.abort(new TransferException(
                            FailureKind.CONNECTION_LOST,
                            "a lane to " + watched.lane.peer() + " moved no data for "
                                    + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s"));
                }
            }
        });
    }
}
