package io.fdt.cli.display;

import java.util.ArrayDeque;

/**
 * The rate of a growing count over the last few seconds. The rate is always a number and never negative, even if the
 * clock or the count goes backwards. For one thread.
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
    void add(long nanos, long bytes) {
        Sample last = samples.peekLast();
        if (last != null && (nanos - last.nanos < 0 || bytes < last.bytes)) {
            samples.clear();
        }
        samples.addLast(new Sample(nanos, bytes));
        // The sample just outside the window is kept, because the window reaches back to it.
        while (samples.size() > 2 && nanos - second().nanos >= windowNanos) {
            samples.removeFirst();
        }
    }

    /** Returns the time that the rate covers. */
    long spanNanos() {
        Sample first = samples.peekFirst();
        Sample last = samples.peekLast();
        return first == null || last == null ? 0 : last.nanos - first.nanos;
    }

    double bitsPerSecond() {
        Sample first = samples.peekFirst();
        Sample last = samples.peekLast();
        if (first == null || last == null || last.nanos - first.nanos <= 0) {
            return 0;
        }
        return (last.bytes - first.bytes) * 8e9 / (last.nanos - first.nanos);
    }

    private Sample second() {
        var iterator = samples.iterator();
        iterator.next();
        return iterator.next();
    }

    private record Sample(long nanos, long bytes) {}
}
