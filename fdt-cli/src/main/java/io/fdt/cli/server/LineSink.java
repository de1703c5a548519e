package io.fdt.cli.server;

import java.io.IOException;

/** Where the lines of a log go. For one thread. */
interface LineSink {
    /** Returns the place, for messages. */
    String place();

    /** Takes a line with its end: all of it, or it throws. */
    void write(byte[] line) throws IOException;

    /** Opens its file anew by its name, for log rotation. */
    default void reopen() throws IOException {}

    /** Keeps what it opens by a path reachable for the server. */
    default void keepReachable(ReachableFiles files) {}

    /** Called at the end; returns within a limited time. */
    void close() throws IOException;
}
