package io.fdt.core.transport;

import io.fdt.core.TransferException;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.StreamFigures;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a lane's connection four times a second and publishes what it sees. Only the lane's thread knows that the
 * socket is still its own, so the probe belongs to it and is called where that thread is anyway and knows the time.
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
            activity.connects(ends.local().getAddress(), ends.remote().getAddress());
        }
    }

    public void lookWhenDue(long nowNanos) {
        if (nowNanos - lookedNanos >= PERIOD_NANOS) {
            lookedNanos = nowNanos;
            look(lane.connection().figures());
        }
    }

    /** Publishes figures that the lane's thread has read already; null for none. */
    public void look(@Nullable StreamFigures seen) {
        if (seen != null) {
            activity.publish(seen);
        }
    }

    public void close() {
        activity.close();
    }

    /** The lane has ended; the cause is null where it did so in order. */
    public void close(@Nullable TransferException cause) {
        if (cause == null) {
            activity.close();
        } else {
            activity.lose(String.valueOf(cause.getMessage()));
        }
    }
}
