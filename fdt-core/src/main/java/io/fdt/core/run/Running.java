package io.fdt.core.run;

import io.fdt.core.failure.Failure;
import java.time.Duration;

/**
 * A job that runs on its own threads until it ends or is stopped. Thread-safe.
 *
 * @param <E> the type of the result
 */
public interface Running<E> extends AutoCloseable {
    /** Asks it to stop, which it does within a second; {@link #await()} returns the result. Returns at once. */
    void interrupt(Failure why);

    /** Waits for the end. Failures of the job are part of the result, not thrown. */
    E await() throws InterruptedException;

    /** Waits up to this long for the end; false if it has not ended. */
    boolean await(Duration limit) throws InterruptedException;

    /** Stops it if it still runs, and frees its threads. May be called twice. */
    @Override
    void close();

    /** Like {@link #close()}, but waits up to this long for threads that are blocked by a disk or a peer. */
    void close(long timeoutMs);
}
