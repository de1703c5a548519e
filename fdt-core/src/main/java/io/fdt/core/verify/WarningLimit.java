package io.fdt.core.verify;

import io.fdt.core.basic.LineLimit;
import java.util.function.Consumer;

/** Passes on the first {@value #MAX} warnings of one side, and finally the number of further ones. Thread-safe. */
public final class WarningLimit implements Consumer<String> {
    private static final int MAX = 20;

    private final Consumer<String> listener;
    private final LineLimit lines = new LineLimit(MAX);

    public WarningLimit(Consumer<String> listener) {
        this.listener = listener;
    }

    @Override
    public synchronized void accept(String message) {
        if (lines.take()) {
            listener.accept(message);
        }
    }

    /** Call it once, after the last warning. */
    public synchronized void reportRest() {
        long rest = lines.takeRest();
        if (rest > 0) {
            listener.accept("and " + rest + " more warnings");
        }
    }
}
