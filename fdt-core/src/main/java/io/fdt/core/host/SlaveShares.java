package io.fdt.core.host;

import java.util.ArrayDeque;

/** Spreads lanes over the slaves of a bond, by assigning a class of hashes to each lane. Not thread-safe. */
final class SlaveShares {
    /**
     * The least common multiple of 1 to 8. With more classes, a class would have so few ports that most may be in use.
     */
    private static final int MAX_CLASSES = 840;

    /** No session moves more lanes at a time. */
    private static final int MAX_WISHES = 64;

    private final int[] lanes;

    /** Slaves for the next lanes, regardless of how many lanes the classes have. */
    private final ArrayDeque<Wish> wishes = new ArrayDeque<>();

    /** A slave, as an index among the usable ones, and their number. */
    private record Wish(int place, int usable) {}

    /** @param slaves of the bond, including those that are down */
    SlaveShares(int slaves) {
        this.lanes = new int[classes(slaves)];
    }

    /**
     * Returns the number of hash classes. Lanes in consecutive classes are spread evenly over all slaves. If some fail,
     * they are also spread evenly over the remaining ones, because their number divides the number of classes.
     */
    static int classes(int slaves) {
        int common = 1;
        for (int count = 2; count <= slaves; count++) {
            common = common / divisor(common, count) * count;
            if (common > MAX_CLASSES) {
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
     * Directs the next lane to the slave with this index among those usable now. Has no effect if classes do not
     * determine the slave: in a bond with more than eight slaves of which some are down.
     */
    void wish(int place, int usable) {
        if (lanes.length % usable == 0 && wishes.size() < MAX_WISHES) {
            wishes.add(new Wish(place, usable));
        }
    }

    /**
     * Takes the lowest of the classes with the fewest lanes; only considers classes that lead to the requested slave,
     * if there is one.
     */
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
