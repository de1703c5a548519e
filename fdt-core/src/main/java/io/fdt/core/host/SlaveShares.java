package io.fdt.core.host;

/** Shares lanes among the slaves of a bond, by a class of hashes for each lane. Not thread-safe. */
final class SlaveShares {
    /** The smallest number that 1 to 8 divide: above, as many ports would be in a class as are in use anyway. */
    private static final int MOST_CLASSES = 840;

    private final int[] lanes;

    /** @param slaves of the bond, those that are down included */
    SlaveShares(int slaves) {
        this.lanes = new int[classes(slaves)];
    }

    /**
     * How many classes of hashes there are. Lanes in neighbouring classes are spread evenly over all slaves and, since the
     * count of slaves that are left divides the count of classes, over these as well when some fail.
     */
    static int classes(int slaves) {
        int common = 1;
        for (int count = 2; count <= slaves; count++) {
            common = common / divisor(common, count) * count;
            if (common > MOST_CLASSES) {
                return slaves;
            }
        }
        return common;
    }

    private static int divisor(int one, int other) {
        return other == 0 ? one : divisor(other, one % other);
    }

    int classes() {
        return lanes.length;
    }

    /** Takes the lowest of the classes that have the fewest lanes. */
    int take() {
        int least = 0;
        for (int each = 1; each < lanes.length; each++) {
            least = lanes[each] < lanes[least] ? each : least;
        }
        lanes[least]++;
        return least;
    }

    void release(int taken) {
        lanes[taken]--;
    }
}
