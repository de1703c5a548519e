package io.fdt.core.host;

import java.util.ArrayDeque;

/** Shares lanes among the slaves of a bond, by a class of hashes for each lane. Not thread-safe. */
final class SlaveShares {
    /** The smallest number that 1 to 8 divide: above, as many ports would be in a class as are in use anyway. */
    private static final int MOST_CLASSES = 840;

    /** No session has more lanes that move at a time. */
    private static final int MOST_WISHES = 64;

    private final int[] lanes;

    /** Slaves that the next lanes are to take, whatever the classes say. */
    private final ArrayDeque<Wish> wishes = new ArrayDeque<>();

    /** A slave as a place among so many that are usable. */
    private record Wish(int place, int usable) {}

    /** @param slaves of the bond, those that are down included */
    SlaveShares(int slaves) {
        this.lanes = new int[classes(slaves)];
    }

    /**
     * How many classes of hashes there are. Lanes in neighbouring classes are spread evenly over all slaves and, since
     * the count of slaves that are left divides the count of classes, over these as well when some fail.
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

    /**
     * The next lane that comes is to take the slave at this place among those that are usable now. Without effect where
     * classes do not tell the slave: with more than eight of them when some are down.
     */
    void wish(int place, int usable) {
        if (lanes.length % usable == 0 && wishes.size() < MOST_WISHES) {
            wishes.add(new Wish(place, usable));
        }
    }

    /** Takes the lowest of the classes that have the fewest lanes and lead to where the next lane is wished. */
    int take() {
        Wish wish = wishes.poll();
        int from = wish == null ? 0 : wish.place;
        int step = wish == null ? 1 : wish.usable;
        int least = from;
        for (int each = from; each < lanes.length; each += step) {
            least = lanes[each] < lanes[least] ? each : least;
        }
        lanes[least]++;
        return least;
    }

    void release(int taken) {
        lanes[taken]--;
    }
}
