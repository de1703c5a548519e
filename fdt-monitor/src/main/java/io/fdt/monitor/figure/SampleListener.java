package io.fdt.monitor.figure;

import java.util.List;

/** Receives every sample. Called on the sampler's thread; must return quickly. */
public interface SampleListener {
    /** The first sample: counters only, since there are no rates yet. */
    default void onFirstFigures(List<Figure> figures) {}

    /** Whether somebody sees each sample as it comes. Any thread. */
    default boolean isWatched() {
        return true;
    }

    void onSample(Sample sample, List<Figure> figures);

    /** There are no more samples. */
    default void onEnd() {}
}
