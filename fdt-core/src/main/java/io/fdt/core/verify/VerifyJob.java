package io.fdt.core.verify;

import io.fdt.core.FailureKind;
import io.fdt.core.stats.Progress;

/** A running verification. Thread-safe. */
public interface VerifyJob {
    Progress progress();

    /** Asks it to stop, which it does within a second; {@link #await} tells how it ended. */
    void interrupt(FailureKind why, String message);

    /** Waits for the end. Never throws for what can go wrong in a verification: the summary says it. */
    VerifySummary await() throws InterruptedException;
}
