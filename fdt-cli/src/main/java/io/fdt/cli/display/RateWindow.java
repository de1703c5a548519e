package io.fdt.cli.display;

import java.util.ArrayDeque;

/**
 * The rate of a growing count over the last few seconds. Thread-safe. Whatever the clock or the count do, the rate is a
 * non-negative number.
 */
final class RateWindow {
    private final long windowNanos;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    RateWindow(long windowNanos) {
        this.windowNanos = windowNanos;
    }

    /**
     * Adds the count at a time. If the time or the count is lower than that of the last sample, the window starts
     * again.
     */
    synchronized void add(long nanos, long bytes) {
        Sample last = samples.peekLast();
        if (last != null && (nanos - last.nanos < 0 || bytes < last.bytes)) {
            samples.clear();
        }
        samples.addLast(new Sample(nanos, bytes));
        while (samples.size() > 2) {
            Sample first = samples.removeFirst();
            if (nanos - samples.getFirst().nanos < windowNanos) {
                // The sample just outside the window is kept, because the window reaches back to it.
                samples.addFirst(first);
                return;
            }
        }
    }

    /** Returns the time that the rate covers. */
    synchronized long spanNanos() {
        return samples.isEmpty() ? 0 : samples.getLast().nanos - samples.getFirst().nanos;
    }

    synchronized double bitsPerSecond() {
        long nanos = spanNanos();
        return nanos <= 0 ? 0 : (samples.getLast().bytes - samples.getFirst().bytes) * 8e9 / nanos;
    }

    private record Sample(long nanos, long bytes) {}
}
