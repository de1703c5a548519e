package io.fdt.cli;

import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver;

/** Shows one transfer. Thread-safe. */
interface Display extends TransferObserver {
    /** How often it wants {@link #onProgress}, or 0 for never. */
    long progressIntervalMs();

    void onProgress(ProgressView view);

    /** How it ended; once, and nothing after it. */
    void onEnd(Summary summary);
}
