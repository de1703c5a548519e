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

    /**
     * From now on a session whose client has gone, with its control channel and all of its lanes, ends soon and not
     * after the client's timeout. Returns at once.
     */
    void endDeserted();

    /**
     * Waits for the end: after {@link #stop}, or, with {@code once}, after the one session.
     *
     * @return how the one session failed; null when it ended well, and after a stop
     */
    @Nullable FailureKind await() throws InterruptedException;
}
