package io.fdt.cli.engine;

import io.fdt.core.FailureKind;
import org.jspecify.annotations.Nullable;

/** A server that listens. Thread-safe. */
public interface RunningServer {
    /** The port it listens on, also where the plan asked for any. */
    int port();

    /**
     * Takes no more sessions and brings the running ones to a resumable state, within the timeout; returns at once,
     * {@link #await} returns the result.
     */
    void stop(long timeoutMs);

    /** From now on a session whose client has closed everything ends soon, not after its timeout. Returns at once. */
    void endDeserted();

    /** Waits for the end; returns how the one session of {@code once} failed, null when it ended well. */
    @Nullable FailureKind await() throws InterruptedException;
}
