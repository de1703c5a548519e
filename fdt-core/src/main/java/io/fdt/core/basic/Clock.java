package io.fdt.core.basic;

/** Monotonic time; tests use their own clocks. Wall-clock time never affects a decision. */
public interface Clock {
    Clock SYSTEM = System::nanoTime;

    /** Nanoseconds from an arbitrary origin; only differences have a meaning. */
    long nanoTime();
}
