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
 * The way to one server: who opens sessions with it, and what carries their lanes. Nobody is
 * connected to before a session is opened. {@link Connector} makes it; what is started with it closes it.
 *
 * @param transports of the lanes, of which a verification or an errand has none
 * @param transport of the control channel, and of the lanes where nothing else is chosen
 * @param inside of lanes that stay inside this host
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
