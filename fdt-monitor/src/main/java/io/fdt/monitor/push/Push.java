package io.fdt.monitor.push;

import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import java.io.IOException;
import java.util.List;

public interface Push {
    /** Sends one sample; gives up after a limited time. */
    void send(Sample sample, List<Figure> figures) throws IOException;

    /** There are no more samples. */
    default void close() throws IOException {}
}
