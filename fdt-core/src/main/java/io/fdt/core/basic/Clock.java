package io.fdt.core.basic;

import java.util.concurrent.locks.LockSupport;

/** Monotonic time; tests use their own clocks. Wall-clock time never affects a decision. */
public interface Clock {
    Clock SYSTEM = System::nanoTime;

    /** Nanoseconds from an arbitrary origin; only differences have a meaning. */
    long nanoTime();

    /** Lets the calling thread sleep until it is {@linkplain #wake woken} or interrupted, at most this long. */
    default void sleep(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    /** Ends the thread's present sleep, or the next one. */
    default void wake(Thread sleeper) {
        LockSupport.unpark(sleeper);
    }
}
