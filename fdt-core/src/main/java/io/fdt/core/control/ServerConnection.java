package io.fdt.core.control;

import io.fdt.core.Resources;

/**
 * Access to one server: the client that opens sessions with it, and the transports of their lanes. Nothing connects
 * before a session is opened. The job that uses it closes it.
 *
 * @param transports of the lanes; a verification or a copy between servers has none
 * @param more what is closed last: the transport of the control channel, and what else belongs to the connection
 */
public record ServerConnection(Client client, LaneTransports transports, Resources more) implements Resources {
    @Override
    public void close(long timeoutMs) {
        client.close();
        transports.close();
        more.close(timeoutMs);
    }
}
