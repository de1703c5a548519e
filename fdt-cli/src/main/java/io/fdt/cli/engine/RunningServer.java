package io.fdt.cli.engine;

import io.fdt.core.FailureKind;
import org.jspecify.annotations.Nullable;

/** A listening server. Thread-safe. */
public interface RunningServer {
    /** Returns the port on which it listens, even if the plan requested any free port. */
    int port();

    /**
     * Stops accepting sessions and brings the running ones to a resumable state within the timeout. Returns at once;
     * {@link #await} returns the result.
     */
    void stop(long timeoutMs);

    /**
     * From now on, ends a session soon after its client has closed all connections instead of after its timeout.
     * Returns at once.
     */
    void endDeserted();

    /** Waits for the end. Returns the failure of the one session of {@code once}, or null if it succeeded. */
    @Nullable FailureKind await() throws InterruptedException;
}
