package io.fdt.core;

import java.time.Duration;

/**
 * What was started and runs on threads of its own, until it ends or is stopped. Thread-safe.
 *
 * @param <E> how it ended
 */
public interface Running<E> extends AutoCloseable {
    /** Asks it to stop, which it does within a second; {@link #await()} returns the result. Returns at once. */
    void interrupt(FailureKind why, String message);

    /** Waits for the end. Never throws for what can go wrong meanwhile: how it ended says it. */
    E await() throws InterruptedException;

    /** Waits for the end for at most this long; false if it has not come. */
    boolean await(Duration limit) throws InterruptedException;

    /** Stops it if it still runs, and frees its threads. May be called twice. */
    @Override
    void close();

    /** As {@link #close()}, but waits for at most this long for threads that a disk or a peer holds up. */
    void close(long timeoutMs);
}
