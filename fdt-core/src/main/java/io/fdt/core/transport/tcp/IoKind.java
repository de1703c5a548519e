package io.fdt.core.transport.tcp;

import java.util.Locale;

/** The I/O method of the sockets of this process. */
public enum IoKind {
    /** epoll if it can be loaded, otherwise NIO. */
    AUTO,
    EPOLL,
    IO_URING,
    NIO;

    /** The name in options, results and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
