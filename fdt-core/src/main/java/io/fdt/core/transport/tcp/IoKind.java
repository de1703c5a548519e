package io.fdt.core.transport.tcp;

import java.util.Locale;

/** How this process talks to its sockets. */
public enum IoKind {
    /** epoll where it loads, else NIO. */
    AUTO,
    EPOLL,
    IO_URING,
    NIO;

    /** Its word in options, results and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
