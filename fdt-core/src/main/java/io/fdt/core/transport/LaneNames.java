package io.fdt.core.transport;

import io.fdt.core.run.Threads;
import java.util.BitSet;
import java.util.function.IntConsumer;

/**
 * Names the threads of a transport's lanes by the lowest free number, so that numbers stay small after many lanes.
 * Thread-safe.
 */
public final class LaneNames {
    private final LanePlaces places;
    private final BitSet taken = new BitSet();

    /** @param places where the threads run */
    public LaneNames(LanePlaces places) {
        this.places = places;
    }

    /**
     * Creates a thread that takes a number when it starts, moves to its place, and then calls {@code life} with the
     * number.
     */
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
