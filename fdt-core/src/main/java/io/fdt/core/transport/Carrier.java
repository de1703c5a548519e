package io.fdt.core.transport;

import java.util.Locale;

/** What carries the bytes of a session's lanes. The control channel is a link over TCP whatever carries them. */
public enum Carrier {
    /** TCP connections, to any host. */
    TCP,
    /** Queue pairs of RDMA devices, to any host that has one. */
    RDMA,
    /** Unix-domain sockets, inside one host. */
    UNIX,
    /** Rings in memory that both processes map, inside one host. */
    SHM;

    /** Its word in options, results and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Both ends must be on one host, and belong to one user. */
    public boolean isInsideHost() {
        return this == UNIX || this == SHM;
    }

    /** Whether its lanes can be encrypted. */
    public boolean hasTls() {
        return this == TCP;
    }

    /** Whether received bytes can be dropped where they are. A Unix-domain socket has no way to say so. */
    public boolean dropsInPlace() {
        return this != UNIX;
    }
}
