package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;

/** A running transfer, seen from the client. Thread-safe. */
public interface TransferJob {
    Progress progress();

    /** Asks the session to stop in a resumable state, within a second; {@link #await} tells how it ended. */
    void interrupt(FailureKind why, String message);

    /** Waits for the end. Never throws for what can go wrong in a transfer: the summary says it. */
    Summary await() throws InterruptedException;
}
