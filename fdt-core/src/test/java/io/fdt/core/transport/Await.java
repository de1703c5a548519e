package io.fdt.core.transport;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition, with a deadline that a healthy run never comes near. */
public final class Await {
    /** In the lab, where everything is emulated, {@code fdt.slowness} times as long. */
    private static final long DEADLINE_SECONDS = 30L * Integer.getInteger("fdt.slowness", 1);

    private Await() {}

    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    public static void until(Supplier<String> what, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what.get());
            }
            LockSupport.parkNanos(200_000);
        }
    }

    public static void until(String what, CountDownLatch latch) {
        try {
            if (!latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting: " + what, e);
        }
    }
}
