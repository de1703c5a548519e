package io.fdt.system;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for something outside of this process that nobody announces, with a deadline. */
final class Await {
    private static final long LOOK_EVERY_NANOS = 5_000_000;

    private Await() {}

    /** Returns once the condition holds; fails, naming what it waited for, when the time is over. */
    static void until(String what, Duration limit, BooleanSupplier condition) {
        if (!holdsWithin(limit, condition)) {
            throw new AssertionError("not within " + limit.toMillis() + " ms: " + what);
        }
    }

    /** Whether the condition came to hold in time. */
    static boolean holdsWithin(Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
        return true;
    }

    /** Lets time pass, where the passing of time itself is what a test is about: a random moment, a stall. */
    static void pass(Duration time) {
        long deadline = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
