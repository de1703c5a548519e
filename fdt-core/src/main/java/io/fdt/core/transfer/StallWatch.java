package io.fdt.core.transfer;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.transport.Lane;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Finds lanes that are open and move nothing: with chunks that nobody acknowledges, and no block sent, for the timeout. Such
 * a lane is given up, so that its chunks go to the others. Belongs to the session's thread.
 */
final class StallWatch {
    private final ChunkQueue queue;
    private final Clock clock;
    private final long timeoutNanos;
    private final Map<Integer, Watched> lanes = new HashMap<>();

    private static final class Watched {
        final Lane lane;
        final SenderLane sending;
        long movement = -1;
        long sinceNanos;

        Watched(Lane lane, SenderLane sending) {
            this.lane = lane;
            this.sending = sending;
        }
    }

    StallWatch(ChunkQueue queue, Clock clock, long timeoutMs) {
        this.queue = queue;
        this.clock = clock;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    void onJoined(int key, Lane lane, SenderLane sending) {
        lanes.put(key, new Watched(lane, sending));
    }

    void onClosed(int key) {
        lanes.remove(key);
    }

    void check() {
        long now = clock.nanoTime();
        lanes.forEach((key, watched) -> {
            long movement = watched.sending.blocksSent() + queue.acknowledged(key);
            if (movement != watched.movement) {
                watched.movement = movement;
                watched.sinceNanos = now;
            } else if (now - watched.sinceNanos > timeoutNanos) {
                watched.sinceNanos = now;
                if (queue.hasClaims(key)) {
                    watched.lane.abort(new TransferException(
                            FailureKind.CONNECTION_LOST,
                            "a lane to " + watched.lane.peer() + " moved nothing for "
                                    + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s"));
                }
            }
        });
    }
}
