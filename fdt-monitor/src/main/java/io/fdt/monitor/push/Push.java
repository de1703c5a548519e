package io.fdt.monitor.push;

import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import java.io.IOException;
import java.util.List;

public interface Push {
    /** Sends one sample; gives up after a bounded time. */
    void send(Sample sample, List<Figure> figures) throws IOException;

    /** Nothing more is to be sent. */
    default void close() {}
}
