package io.fdt.cli.display;

import java.util.ArrayDeque;

/**
 * The rate of a growing count over the last few seconds. Thread-safe. Whatever the clock or the count do, the rate is a
 * number and not negative.
 */
final class RateWindow {
    private final long windowNanos;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    RateWindow(long windowNanos) {
        this.windowNanos = windowNanos;
    }

    /** A count at a time; one from before the last sample starts the window anew. */
    synchronized void add(long nanos, long bytes) {
        Sample last = samples.peekLast();
        if (last != null && (nanos - last.nanos < 0 || bytes < last.bytes)) {
            samples.clear();
        }
        samples.addLast(new Sample(nanos, bytes));
        while (samples.size() > 2) {
            Sample first = samples.removeFirst();
            if (nanos - samples.getFirst().nanos < windowNanos) {
                // The sample just outside stays: the window reaches back to it.
                samples.addFirst(first);
                return;
            }
        }
    }

    /** The time that the rate is over. */
    synchronized long spanNanos() {
        return samples.isEmpty() ? 0 : samples.getLast().nanos - samples.getFirst().nanos;
    }

    synchronized double bitsPerSecond() {
        long nanos = spanNanos();
        return nanos <= 0 ? 0 : (samples.getLast().bytes - samples.getFirst().bytes) * 8e9 / nanos;
    }

    private record Sample(long nanos, long bytes) {}
}
