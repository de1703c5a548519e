package io.fdt.cli.display;

import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver;

/** Displays one transfer. Thread-safe. */
public interface Display extends TransferObserver, ProgressDisplay {
    /**
     * Called when an attempt failed and another one follows.
     *
     * @param attempt from 1
     */
    default void onRetry(int attempt, Summary failed, long pauseNanos) {}

    /** Called when a round of {@code --watch} has copied files; further rounds may follow. */
    default void onRound(Summary round) {}

    /** Called once at the end; no other call follows. */
    default void onEnd(Summary summary) {}
}
