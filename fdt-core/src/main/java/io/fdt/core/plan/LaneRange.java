package io.fdt.core.plan;

/**
 * The number of lanes of a copy. It opens {@link #first}, has up to {@code start} as soon as there is work for them,
 * and the sender then chooses the best number within the bounds.
 */
public record LaneRange(int min, int start, int max) {
    /** Of one session. */
    public static final int MAX = 1024;

    /** Enough for small files, whose names limit a copy, and for one file in a page cache. */
    private static final int FIRST = 4;

    /** More streams than this improve no path that TCP can use. */
    private static final int DEFAULT_MAX = 64;

    public LaneRange {
        if (min < 1 || start < min || max < start || max > MAX) {
            throw new IllegalArgumentException("no range of lanes: " + min + ", " + start + ", " + max);
        }
    }

    public static LaneRange fixed(int lanes) {
        return new LaneRange(lanes, lanes, lanes);
    }

    /** The default for a host with this many cores. */
    public static LaneRange auto(int cores) {
        int start = defaultStart(cores);
        return new LaneRange(1, start, DEFAULT_MAX);
    }

    /** These bounds, starting as close to the default as they allow. */
    public static LaneRange between(int min, int max, int cores) {
        return new LaneRange(min, Math.max(min, Math.min(max, defaultStart(cores))), max);
    }

    private static int defaultStart(int cores) {
        return Math.max(4, Math.min(16, cores));
    }

    /** The lanes that a copy opens before it knows its files. */
    public int first() {
        return Math.max(min, Math.min(start, FIRST));
    }

    public boolean isFixed() {
        return min == max;
    }

    public LaneRange atMost(int granted) {
        return new LaneRange(Math.min(min, granted), Math.min(start, granted), Math.min(max, granted));
    }
}
