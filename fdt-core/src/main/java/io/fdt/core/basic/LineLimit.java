package io.fdt.core.basic;

/** Permits the first lines of one kind, and counts the others, which are reported in one line. Thread-safe. */
public final class LineLimit {
    private final int max;
    private long count;

    public LineLimit(int max) {
        this.max = max;
    }

    /** Whether another line may be written. */
    public synchronized boolean take() {
        count++;
        return count <= max;
    }

    /** Returns the number of suppressed lines, and starts again. */
    public synchronized long takeRest() {
        long rest = Math.max(0, count - max);
        count = 0;
        return rest;
    }
}
