package io.fdt.cli.display;

/** Shows how far something is. Called by one thread, now and then. */
public interface ProgressDisplay {
    /** How often it wants {@link #onProgress}, or 0 for never. */
    default long progressIntervalMs() {
        return 0;
    }

    default void onProgress(ProgressView view) {}
}
