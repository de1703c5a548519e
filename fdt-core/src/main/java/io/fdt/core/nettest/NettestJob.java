package io.fdt.core.nettest;

import io.fdt.core.FailureKind;

/** A network test that runs. */
public interface NettestJob {
    /** Ends it early, with what has been measured so far. Any thread; returns at once. */
    void interrupt(FailureKind why, String message);

    /** Waits for its end. */
    NettestOutcome await() throws InterruptedException;
}
