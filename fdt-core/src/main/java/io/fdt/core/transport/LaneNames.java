package io.fdt.core.transport;

import java.util.BitSet;

/** Names the threads of lanes by the lowest free number, so that a thread dump reads the same after many lanes. */
public final class LaneNames {
    private static final BitSet TAKEN = new BitSet();

    private LaneNames() {}

    public static Thread newThread(Runnable life) {
        return newThread(LanePlaces.ANYWHERE, life);
    }

    /** The thread takes its number when it runs, and first goes where it belongs. */
    public static Thread newThread(LanePlaces places, Runnable life) {
        Thread thread = new Thread(
                () -> {
                    int number = take();
                    try {
                        Thread.currentThread().setName("fdt-lane-" + number);
                        places.onThread(number);
                        life.run();
                    } finally {
                        synchronized (TAKEN) {
                            TAKEN.clear(number);
                        }
                    }
                },
                "fdt-lane");
        thread.setDaemon(true);
        return thread;
    }

    private static int take() {
        synchronized (TAKEN) {
            int number = TAKEN.nextClearBit(0);
            TAKEN.set(number);
            return number;
        }
    }
}
