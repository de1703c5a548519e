package io.fdt.cli.nettest;

import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;

/** Shows one network test. Thread-safe. */
interface NettestDisplay extends NettestObserver {
    /** How it ended; only the first call counts, and nothing comes after it. */
    void onEnd(NettestOutcome outcome);
}
