package io.fdt.core.nettest.objects;

import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestValue;
import java.util.List;

/**
 * The place of every object of a test in the server's memory, as the server sent it to the first lane; the others wait
 * for that. One thread fills it; any thread that has seen that it is complete may read it.
 */
final class ObjectPlaces {
    private final long[][] places;
    private final long[][] versions;
    private volatile boolean complete;

    ObjectPlaces(NettestPlan plan) {
        List<Integer> sizes = plan.get(NettestValue.SIZES);
        places = new long[sizes.size()][];
        versions = new long[sizes.size()][];
        for (int round = 0; round < places.length; round++) {
            places[round] = new long[ObjectsSuite.objectsOf(plan, sizes.get(round))];
            versions[round] = new long[places[round].length];
        }
    }

    void set(int round, int number, int part, int at, long version) {
        places[round][number] = ((long) part << Integer.SIZE) | at;
        versions[round][number] = version;
    }

    void complete() {
        complete = true;
    }

    boolean isComplete() {
        return complete;
    }

    int part(int round, int number) {
        return (int) (places[round][number] >>> Integer.SIZE);
    }

    int at(int round, int number) {
        return (int) places[round][number];
    }

    long version(int round, int number) {
        return versions[round][number];
    }
}
