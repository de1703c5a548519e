package io.fdt.core.nettest;

import io.fdt.core.Running;

/** A network test that runs. What is asked to stop ends early, with what has been measured so far. */
public interface NettestJob extends Running<NettestOutcome> {}
