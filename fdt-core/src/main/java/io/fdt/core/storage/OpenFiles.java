package io.fdt.core.storage;

import java.util.concurrent.TimeUnit;

/**
 * Counts the files that a target has open, and lets no more be opened than the process can bear. Complete files stay open
 * until they are flushed and have their names, so on a slow disk they pile up, and a lane that outruns the flusher has to wait
 * for it. Thread-safe.
 */
final class OpenFiles {
    private static final int COUNT_MAX = 8192;
    /** Longer than any flush should take; after it the lane tries its luck with the kernel. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int max;
    private int count;

    /** A quarter of the process's descriptors: several sessions and their lanes share them. */
    OpenFiles() {
        this((int) Math.max(16, Math.min(COUNT_MAX, Posix.descriptorsMax() / 4)));
    }

    OpenFiles(int max) {
        this.max = max;
    }

    synchronized int count() {
        return count;
    }

    /** Waits for a file to be closed if there are too many, then counts one more. */
    synchronized void beginOpening() {
        long deadline = System.nanoTime() + WAIT_NANOS;
        boolean interrupted = false;
        while (count >= max && !interrupted) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        count++;
    }

    /** Counts one more without waiting: for what is opened on the thread that others wait for. */
    synchronized void opened() {
        count++;
    }

    synchronized void closed() {
        count--;
        notifyAll();
    }
}
