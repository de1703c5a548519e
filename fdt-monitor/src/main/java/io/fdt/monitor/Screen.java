package io.fdt.monitor;

import java.util.List;

/** A terminal that the monitor draws on. Any thread; a size may be another at each call. */
public interface Screen {
    int rows();

    int columns();

    /** Whether it shows colours. */
    boolean hasColours();

    /**
     * Shows these lines, one a row, and nothing else. None is wider than the screen; colours are in them as SGR
     * sequences.
     */
    void show(List<String> lines);
}
