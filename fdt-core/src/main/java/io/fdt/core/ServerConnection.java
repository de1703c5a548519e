package io.fdt.core;

import io.fdt.core.control.Client;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.local.LocalTransport;
import io.fdt.core.transport.tcp.TcpTransport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Access to one server: the client that opens sessions with it, and the transports of their lanes. Nothing connects
 * before a session is opened. {@link Connector} creates it; the job that uses it closes it.
 *
 * @param transports of the lanes; a verification or a copy between servers has none
 * @param transport of the control channel, and of the lanes by default
 * @param inside the transport of lanes within this host
 */
record ServerConnection(
        Client client,
        LaneTransports transports,
        TcpTransport transport,
        @Nullable LocalTransport inside) implements Resources {
    /** For a copy whose lanes are spread as specified. */
    ClientTransfer.Network network(Function<SpreadWatch.Role, SpreadWatch> spread) {
        return new ClientTransfer.Network(client, transports, spread);
    }

    @Override
    public void close(long timeoutMs) {
        client.close();
        transports.close();
        if (inside != null) {
            inside.close(timeoutMs);
        }
        transport.close(timeoutMs);
    }
}
