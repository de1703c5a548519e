package io.fdt.core.transport;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Methods that wait for a condition, with a deadline that a healthy run never approaches, on however busy a machine.
 */
public final class Await {
    /** The limit of every wait of a test. It only ends tests that hang. */
    public static final int LIMIT_SECONDS = 240;

    public static final int LIMIT_MS = LIMIT_SECONDS * 1_000;

    /** A check of something outside this process may start a process. */
    private static final long LOOK_OUTSIDE_EVERY_NANOS = 5_000_000;

    private Await() {}

    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    public static void until(Supplier<String> what, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("not within " + LIMIT_SECONDS + " s: " + what.get());
            }
            LockSupport.parkNanos(200_000);
        }
    }

    public static void until(String what, CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("not within " + LIMIT_SECONDS + " s: " + what);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting: " + what, e);
        }
    }

    /** Waits up to {@code limit} for something outside this process. */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        if (!holdsWithin(limit, condition)) {
            throw new AssertionError("not within " + limit.toMillis() + " ms: " + what);
        }
    }

    /** Returns whether the condition held in time. */
    public static boolean holdsWithin(Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_OUTSIDE_EVERY_NANOS);
        }
        return true;
    }

    /** Lets time pass, for tests that need the passing of time itself: a random moment, a stall. */
    public static void pass(Duration time) {
        long deadline = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
