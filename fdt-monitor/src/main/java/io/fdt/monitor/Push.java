package io.fdt.monitor;

import java.io.IOException;
import java.util.List;

/** One way of pushing. Belongs to its {@link Pusher}'s thread. */
interface Push {
    /** Sends one sample; gives up after a bounded time. */
    void send(Sample sample, List<Figure> figures) throws IOException;

    /** Nothing more is to be sent. */
    default void close() {}
}
