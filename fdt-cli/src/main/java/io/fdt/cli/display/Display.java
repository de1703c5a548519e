package io.fdt.cli.display;

import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver;

/** Shows one transfer. Thread-safe. */
public interface Display extends TransferObserver, ProgressDisplay {
    /**
     * An attempt failed, and another one follows.
     *
     * @param attempt from 1
     */
    default void onRetry(int attempt, Summary failed, long pauseNanos) {}

    /** How it ended; once, and nothing after it. */
    default void onEnd(Summary summary) {}
}
