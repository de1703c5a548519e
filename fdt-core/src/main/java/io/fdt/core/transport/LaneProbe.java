package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.StreamFigures;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Samples a lane's connection four times a second and publishes the figures. Only the lane's thread knows that the
 * socket is still open, so the probe belongs to that thread, which calls it where it has just read the time.
 */
public final class LaneProbe {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Lane lane;
    private final LaneActivity activity;
    private long lookedNanos;

    public LaneProbe(Lane lane, LaneActivity activity) {
        this.lane = lane;
        this.activity = activity;
        this.lookedNanos = System.nanoTime() - PERIOD_NANOS;
        Lane.Ends ends = lane.connection().ends();
        if (ends != null) {
            activity.connects(ends.local(), ends.remote());
        }
    }

    public void lookWhenDue(long nowNanos) {
        if (nowNanos - lookedNanos >= PERIOD_NANOS) {
            lookedNanos = nowNanos;
            look(lane.connection().figures());
        }
    }

    /** Publishes figures that the lane's thread has already read; null for none. */
    public void look(@Nullable StreamFigures seen) {
        if (seen != null) {
            activity.publish(seen);
        }
    }

    public void close() {
        activity.close();
    }

    /** The lane has ended; the cause is null if it ended in order. */
    public void close(@Nullable TransferException cause) {
        if (cause == null) {
            activity.close();
        } else {
            activity.lose(String.valueOf(cause.getMessage()));
        }
    }
}
