package io.fdt.core.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Chooses the local ports of lanes, if the network on the path uses them to choose a link. Thread-safe. */
public interface SourcePorts {
    /** Leaves the choice to the system. */
    SourcePorts SYSTEM = (server, localAddress) -> null;

    /**
     * Reserves a place for one lane.
     *
     * @param localAddress of the lane, or null for the system's choice
     * @return null if the port does not matter
     */
    @Nullable PortLease place(InetSocketAddress server, @Nullable InetAddress localAddress);

    /** Held by a lane from dialling to its end. */
    interface PortLease {
        /** The next address and port to try; null if there are no more, so that the system's choice must do. */
        @Nullable InetSocketAddress next();

        /** The lane has ended. Idempotent. */
        void release();
    }
}
