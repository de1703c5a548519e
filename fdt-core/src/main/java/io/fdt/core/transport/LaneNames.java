package io.fdt.core.transport;

import io.fdt.core.Threads;
import java.util.BitSet;
import java.util.function.IntConsumer;

/**
 * Names the threads of a transport's lanes by the lowest free number, so that a thread dump reads the same after many
 * lanes. Any thread.
 */
public final class LaneNames {
    private final LanePlaces places;
    private final BitSet taken = new BitSet();

    /** @param places where the threads run */
    public LaneNames(LanePlaces places) {
        this.places = places;
    }

    /** The thread takes its number when it runs, which its life is given, and first goes where it belongs. */
    public Thread newThread(IntConsumer life) {
        return Threads.daemon("fdt-lane", () -> {
            int number = take();
            try {
                Thread.currentThread().setName("fdt-lane-" + number);
                places.onThread(number);
                life.accept(number);
            } finally {
                synchronized (taken) {
                    taken.clear(number);
                }
            }
        });
    }

    private int take() {
        synchronized (taken) {
            int number = taken.nextClearBit(0);
            taken.set(number);
            return number;
        }
    }
}
