package io.fdt.core.plan;

/** How many lanes a copy may have: {@code start} at first, then what the sender finds best within the bounds. */
public record LaneRange(int min, int start, int max) {
    /** More streams than this help no path that TCP can use at all. */
    private static final int USUAL_MAX = 64;

    public LaneRange {
        if (min < 1 || start < min || max < start) {
            throw new IllegalArgumentException("no range of lanes: " + min + ", " + start + ", " + max);
        }
    }

    /** So many from the beginning to the end. */
    public static LaneRange fixed(int lanes) {
        return new LaneRange(lanes, lanes, lanes);
    }

    /** What is usual on a machine with so many cores. */
    public static LaneRange usual(int cores) {
        int start = usualStart(cores);
        return new LaneRange(start, start, USUAL_MAX);
    }

    /** Between these bounds, beginning as close to the usual number as they allow. */
    public static LaneRange between(int min, int max, int cores) {
        return new LaneRange(min, Math.max(min, Math.min(max, usualStart(cores))), max);
    }

    private static int usualStart(int cores) {
        return Math.max(4, Math.min(16, cores));
    }

    public boolean isFixed() {
        return min == max;
    }

    /** The same where no more than these are granted. */
    public LaneRange atMost(int granted) {
        return new LaneRange(Math.min(min, granted), Math.min(start, granted), Math.min(max, granted));
    }
}
