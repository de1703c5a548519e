package io.fdt.monitor.figure;

import java.util.List;

/** Who is given every sample. Called on the sampler's thread; must return soon. */
public interface SampleListener {
    /** The first look: counters, but nothing to tell rates from. */
    default void onFirstFigures(List<Figure> figures) {}

    void onSample(Sample sample, List<Figure> figures);

    /** The last sample has been given. */
    default void onEnd() {}
}
