package io.fdt.core.transport.tcp;

import io.fdt.core.FailureKind;

/** The I/O method of the sockets of this process. */
public enum IoKind {
    /** epoll if it can be loaded, otherwise NIO. */
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

    /** Parses the name that a user typed. */
    public static IoKind parse(String label) {
        for (IoKind kind : values()) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        throw FailureKind.USAGE.failure("there is no I/O method named " + label + ": auto, epoll, io_uring or nio");
    }
}
