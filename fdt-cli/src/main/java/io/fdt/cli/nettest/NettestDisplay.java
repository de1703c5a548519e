package io.fdt.cli.nettest;

import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;

/** Displays one network test. Thread-safe. */
interface NettestDisplay extends NettestObserver {
    /** Shows the result; only the first call has an effect, and nothing follows it. */
    void onEnd(NettestOutcome outcome);
}
