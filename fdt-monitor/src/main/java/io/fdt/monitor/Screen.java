package io.fdt.monitor;

import java.util.List;

/** A terminal for the monitor. For any thread; the size may differ at each call. */
public interface Screen {
    int rows();

    int columns();

    boolean hasColours();

    /** Shows only these lines, one in each row. They are no wider than the screen; colours are SGR sequences. */
    void show(List<String> lines);
}
