package io.fdt.core.verify;

import java.util.function.Consumer;

/** Passes the first {@value #MAX} warnings of one side on, and in the end how many there were beyond. Thread-safe. */
final class FewWarnings implements Consumer<String> {
    private static final int MAX = 20;

    private final Consumer<String> listener;
    private long count;

    FewWarnings(Consumer<String> listener) {
        this.listener = listener;
    }

    @Override
    public synchronized void accept(String message) {
        count++;
        if (count <= MAX) {
            listener.accept(message);
        }
    }

    synchronized void tellRest() {
        if (count > MAX) {
            listener.accept("and " + (count - MAX) + " more warnings");
            count = 0;
        }
    }
}
