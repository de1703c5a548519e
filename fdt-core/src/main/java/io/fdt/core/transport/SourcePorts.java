package io.fdt.core.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Chooses the local ports of lanes where the network on the way looks at them to choose the wire. Thread-safe. */
public interface SourcePorts {
    /** The system chooses. */
    SourcePorts SYSTEM = (server, localAddress) -> null;

    /**
     * A place for one lane.
     *
     * @param localAddress that the lane is to have, or null for the system's choice
     * @return null where the port does not matter
     */
    @Nullable Place place(InetSocketAddress server, @Nullable InetAddress localAddress);

    /** Held by a lane from its dialling to its end. */
    interface Place {
        /** The next address and port to try; null when there are no more, and the system's choice has to do. */
        @Nullable InetSocketAddress next();

        /** The lane is gone. Any number of times. */
        void release();
    }
}
