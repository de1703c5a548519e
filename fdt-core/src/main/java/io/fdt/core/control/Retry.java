package io.fdt.core.control;

import io.fdt.core.basic.Pauses;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.run.JobEnd;
import io.fdt.core.stats.Summary;
import java.util.function.DoubleSupplier;

/**
 * Decides whether and when to retry a failed copy. The pauses double from one second to a minute and vary by a quarter,
 * so that the clients of a server do not all reconnect at the same time. For one thread.
 */
public final class Retry {
    public static final long NEVER = 0;
    public static final long FOREVER = Long.MAX_VALUE;
    private static final Pauses PAUSE_NANOS = new Pauses(1_000_000_000L, 60_000_000_000L);

    private final long limitNanos;
    private final DoubleSupplier random;
    private int failures;

    /** No attempt starts later than this after the first one; random numbers are from 0 to 1. */
    public Retry(long limitNanos, DoubleSupplier random) {
        this.limitNanos = limitNanos;
        this.random = random;
    }

    /** How long to pause before the next attempt; negative for none. An attempt lists a changed source again. */
    public long pauseNanos(Summary end, boolean changing, long elapsedNanos) {
        return elapsedNanos >= limitNanos || !mayPass(end, changing)
                ? -1
                : Math.min(nextPauseNanos(end), limitNanos - elapsedNanos);
    }

    /** How long to pause before the next attempt, whatever the failure was. */
    public long nextPauseNanos(Summary end) {
        if (end.kind() == FailureKind.CONNECTION_LOST) {
            // Data was moved on this connection, so this is a new fault.
            failures = end.bytes().moved().durable() > 0 ? 0 : failures;
        }
        failures++;
        return (long) (PAUSE_NANOS.after(failures) * (0.75 + random.getAsDouble() / 2));
    }

    /**
     * Whether the failure may be temporary. Another copy that writes the same files ends some time, or is the one of a
     * client that is gone, until its server notices that.
     */
    public static boolean mayPass(JobEnd end, boolean changing) {
        Failure failure = end.failure();
        return failure != null && failure.cause().isRepeated(changing);
    }
}
