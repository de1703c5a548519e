package io.fdt.cli.verify;

import io.fdt.cli.display.ProgressDisplay;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifySummary;

/** Displays one verification. Thread-safe. */
interface VerifyDisplay extends VerifyObserver, ProgressDisplay {
    /** Shows how the verification ended. Only the first call counts; nothing is shown afterwards. */
    void onEnd(VerifySummary summary);
}
