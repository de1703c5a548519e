package io.fdt.cli;

import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver;

/** Shows one transfer. Thread-safe. */
interface Display extends TransferObserver, ProgressDisplay {
    /** How it ended; once, and nothing after it. */
    void onEnd(Summary summary);
}
