package io.fdt.monitor;

import java.util.List;

/** A terminal that the monitor draws on. Any thread; a size may be another at each call. */
public interface Screen {
    int rows();

    int columns();

    /** Whether it shows colours. */
    boolean hasColours();

    /**
     * Shows these lines, a row each, and nothing else. They are no wider than the screen; colours are SGR sequences.
     */
    void show(List<String> lines);
}
