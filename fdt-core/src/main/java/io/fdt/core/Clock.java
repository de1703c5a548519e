package io.fdt.core;

/** Monotonic time, so that tests can run under a clock of their own. Wall time never decides anything. */
public interface Clock {
    Clock SYSTEM = System::nanoTime;

    /** Nanoseconds from an arbitrary origin; only differences mean something. */
    long nanoTime();
}
