package io.fdt.cli.nettest;

import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;

/** Displays one network test. {@link NettestOutputs} makes one call at a time. */
interface NettestDisplay extends NettestObserver {
    /** Shows the result; called once, last. */
    void onEnd(NettestOutcome outcome);
}
