package io.fdt.core.transport;

import java.util.Locale;

/** The transport of a session's lanes. */
public enum Carrier {
    /** TCP connections, to any host. */
    TCP,
    /** Queue pairs of RDMA devices, to any host that has one. */
    RDMA,
    /** Unix-domain sockets, within one host. */
    UNIX,
    /** Rings in memory that both processes map, within one host. */
    SHM,
    /** Blocks that are handed over within one process. */
    MEMORY;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether both ends must be on one host and belong to one user. */
    public boolean isInsideHost() {
        return this == UNIX || this == SHM || this == MEMORY;
    }

    /** Whether its lanes can be encrypted. */
    public boolean hasTls() {
        return this == TCP;
    }

    /** Whether received bytes can be dropped without copying them. Unix-domain sockets cannot. */
    public boolean dropsInPlace() {
        return this != UNIX;
    }

    /** Whether the description of a lane, whose first part ends with its carrier, is of one inside a host. */
    public static boolean isInsideHost(String description) {
        for (Carrier carrier : values()) {
            if (carrier.isInsideHost() && description.replaceFirst(",.*", "").endsWith(carrier.label())) {
                return true;
            }
        }
        return false;
    }
}
