package io.fdt.core.transport.tcp;

import io.fdt.core.FailureKind;

/** How this process talks to its sockets. */
public enum IoKind {
    /** epoll where it loads, else NIO. */
    AUTO("auto"),
    EPOLL("epoll"),
    IO_URING("io_uring"),
    NIO("nio");

    private final String label;

    IoKind(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }

    /** The kind of this name, as a user types it. */
    public static IoKind parse(String label) {
        for (IoKind kind : values()) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        throw FailureKind.USAGE.failure("there is no I/O method named " + label + ": auto, epoll, io_uring or nio");
    }
}
