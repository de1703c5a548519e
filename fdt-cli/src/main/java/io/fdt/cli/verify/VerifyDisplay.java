package io.fdt.cli.verify;

import io.fdt.cli.display.ProgressDisplay;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifySummary;

/** Shows one verification. Thread-safe. */
interface VerifyDisplay extends VerifyObserver, ProgressDisplay {
    /** How it ended; only the first call counts, and nothing comes after it. */
    void onEnd(VerifySummary summary);
}
