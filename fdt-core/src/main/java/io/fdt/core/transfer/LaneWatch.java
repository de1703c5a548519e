package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.Lane;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Knows which lanes of a session live. Lost lanes are opened again where the client is; a session with work and without
 * any lane for the timeout is over. Belongs to the session's thread.
 */
final class LaneWatch {
    private final Session session;
    private final TransferFigures figures;
    private final long timeoutNanos;
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private @Nullable IntConsumer reopen;
    private @Nullable Runnable joined;
    private @Nullable TransferException lastCause;
    private long noneSinceNanos;
    private boolean closing;

    LaneWatch(Session session, TransferFigures figures, long timeoutMs) {
        this.session = session;
        this.figures = figures;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        this.noneSinceNanos = session.clock().nanoTime();
    }

    /** What to do about the loss of the lane with this number. */
    void whenLost(IntConsumer action) {
        reopen = action;
    }

    /** What to do when a lane has joined. */
    void whenJoined(Runnable action) {
        joined = action;
    }

    void onJoined(int key, Lane lane) {
        if (closing) {
            lane.close();
            return;
        }
        lanes.put(key, lane);
        figures.lanesAlive.set(lanes.size());
        if (joined != null) {
            joined.run();
        }
    }

    void onClosed(int index, int key, @Nullable TransferException cause) {
        lanes.remove(key);
        figures.lanesAlive.set(lanes.size());
        if (cause != null) {
            lastCause = cause;
        }
        if (lanes.isEmpty()) {
            noneSinceNanos = session.clock().nanoTime();
        }
        if (!closing && reopen != null) {
            if (cause == null) {
                figures.lanesReplaced.incrementAndGet();
            }
            reopen.accept(index);
        }
    }

    /** @param needed there is something to move */
    void check(boolean needed) {
        long now = session.clock().nanoTime();
        if (!needed || !lanes.isEmpty()) {
            noneSinceNanos = now;
        } else if (now - noneSinceNanos > timeoutNanos) {
            String why = lastCause == null ? "none could be opened" : "the last was lost: " + lastCause.getMessage();
            throw new TransferException(
                    FailureKind.CONNECTION_LOST,
                    "no lane to " + session.peer() + " for " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s; "
                            + why);
        }
    }

    /** In order when all is well, at once otherwise. */
    void closeAll(@Nullable TransferException cause) {
        closing = true;
        for (Lane lane : lanes.values()) {
            if (cause == null) {
                lane.close();
            } else {
                lane.abort(cause);
            }
        }
    }
}
