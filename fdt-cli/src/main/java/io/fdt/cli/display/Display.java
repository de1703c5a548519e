package io.fdt.cli.display;

import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver;

/** Shows one transfer. Thread-safe. */
public interface Display extends TransferObserver, ProgressDisplay {
    /** How it ended; once, and nothing after it. */
    void onEnd(Summary summary);
}
