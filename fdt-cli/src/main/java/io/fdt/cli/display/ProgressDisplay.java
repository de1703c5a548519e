package io.fdt.cli.display;

/** Displays progress. Called by one thread at intervals. */
public interface ProgressDisplay {
    /** Returns the interval of {@link #onProgress} calls, or 0 for no calls. */
    default long progressIntervalMs() {
        return 0;
    }

    default void onProgress(ProgressView view) {}
}
