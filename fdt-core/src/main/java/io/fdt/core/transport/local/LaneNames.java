package io.fdt.core.transport.local;

import java.util.BitSet;

/** Names the threads of lanes by the lowest free number, so that a thread dump reads the same after many lanes. */
final class LaneNames {
    private static final BitSet TAKEN = new BitSet();

    private LaneNames() {}

    static Thread newThread(Runnable life) {
        int number;
        synchronized (TAKEN) {
            number = TAKEN.nextClearBit(0);
            TAKEN.set(number);
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        life.run();
                    } finally {
                        synchronized (TAKEN) {
                            TAKEN.clear(number);
                        }
                    }
                },
                "fdt-lane-" + number);
        thread.setDaemon(true);
        return thread;
    }
}
