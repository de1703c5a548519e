package io.fdt.cli;

/** Shows how far something is. Called by one thread, now and then. */
interface ProgressDisplay {
    /** How often it wants {@link #onProgress}, or 0 for never. */
    long progressIntervalMs();

    void onProgress(ProgressView view);
}
