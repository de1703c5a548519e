package io.fdt.core.nettest;

import io.fdt.core.run.Running;

/** A running network test. If it is asked to stop, it ends early, with what was measured so far. */
public interface NettestJob extends Running<NettestOutcome> {}
