package io.fdt.core;

/** Lets the first lines of one kind through, and counts the rest, to be reported as one line. Thread-safe. */
public final class LineLimit {
    private final int max;
    private long count;

    public LineLimit(int max) {
        this.max = max;
    }

    /** Whether one more line may be written. */
    public synchronized boolean take() {
        count++;
        return count <= max;
    }

    /** How many lines were not written; begins anew. */
    public synchronized long takeRest() {
        long rest = Math.max(0, count - max);
        count = 0;
        return rest;
    }
}
