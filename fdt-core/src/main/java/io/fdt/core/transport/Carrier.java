package io.fdt.core.transport;

import java.util.Locale;

/** The transport of a session's lanes. */
public enum Carrier {
    /** TCP connections, to any host. */
    TCP,
    /** Queue pairs of RDMA devices, to any host that has one. */
    RDMA,
    /** Blocks that are handed over within one process. */
    MEMORY;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether its lanes can be encrypted. */
    public boolean hasTls() {
        return this == TCP;
    }

    /** Whether this is the description of a lane over it. */
    public boolean isOf(String description) {
        return description.startsWith(label());
    }
}
