package io.fdt.core.nettest.service;

import java.util.ArrayList;
import java.util.List;

/** Lets several tests begin together, when all of them are ready. Thread-safe. */
final class StartGate {
    private int missing;
    private final List<Runnable> waiting = new ArrayList<>();

    StartGate(int tests) {
        this.missing = tests;
    }

    /** For a single test. */
    static StartGate ofOne() {
        return new StartGate(1);
    }

    /** A test is ready. Its action runs on the thread of the last one to arrive, and must return at once. */
    void arrive(Runnable begin) {
        List<Runnable> all;
        synchronized (this) {
            waiting.add(begin);
            missing--;
            if (missing != 0) {
                return;
            }
            all = List.copyOf(waiting);
        }
        all.forEach(Runnable::run);
    }
}
