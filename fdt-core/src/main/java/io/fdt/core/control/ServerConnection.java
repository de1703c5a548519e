package io.fdt.core.control;

import io.fdt.core.run.Resources;

/**
 * Access to one server: the client that opens sessions with it, and the transports of their lanes. Nothing connects
 * before a session is opened. The job that uses it closes it.
 *
 * @param transports of the lanes; a verification or a copy between servers has none
 * @param owned what is closed with it: client and transports, unless another job uses them, too
 */
public record ServerConnection(Client client, LaneTransports transports, Resources owned) implements Resources {
    /** The same for one of several jobs, which leaves it open. */
    public ServerConnection lent() {
        return new ServerConnection(client, transports, LENT);
    }

    /** Whether other jobs use it, too. */
    public boolean isLent() {
        return owned == LENT;
    }

    @Override
    public void close(long timeoutMs) {
        owned.close(timeoutMs);
    }
}
