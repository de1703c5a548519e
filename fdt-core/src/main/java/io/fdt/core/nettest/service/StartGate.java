package io.fdt.core.nettest.service;

import java.util.ArrayList;
import java.util.List;

/** Lets several tests begin together, once all of them are ready. Thread-safe. */
final class StartGate {
    private int missing;
    private final List<Runnable> waiting = new ArrayList<>();

    StartGate(int tests) {
        this.missing = tests;
    }

    /** For a test that goes by itself. */
    static StartGate ofOne() {
        return new StartGate(1);
    }

    /** This one is ready. What it begins with runs on the thread of whoever is the last, and has to return at once. */
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
