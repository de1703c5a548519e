package io.fdt.cli.nettest;

import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;

/** Shows one network test. One call at a time; {@link NettestOutputs} sees to that. */
interface NettestDisplay extends NettestObserver {
    /** How it ended; once, and nothing comes after it. */
    void onEnd(NettestOutcome outcome);
}
