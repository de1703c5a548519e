package io.fdt.core.engine;

import io.fdt.core.control.ServerConnection;
import io.fdt.core.files.Operations;
import io.fdt.core.files.RemoteOperations;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Resources;
import io.fdt.core.security.Credential;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.service.ClientTransfer;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;

/**
 * Access to one server for many jobs, which share its threads, keys and encryption state. Closing ends the operations,
 * and waits for no copy. Thread-safe.
 */
public final class Connected implements AutoCloseable {
    private static final long CLOSE_MS = 2_000;

    private final ServerConnection connection;
    private final HostBonds bonds;
    private final RemoteOperations operations;

    private Connected(ServerConnection connection, HostBonds bonds, RemoteOperations operations) {
        this.connection = connection;
        this.bonds = bonds;
        this.operations = operations;
    }

    public static Connected to(
            Connector connector,
            String host,
            int port,
            List<InetAddress> localAddresses,
            long timeoutMs,
            Consumer<String> warnings) {
        Connector.requireLocal(localAddresses);
        HostBonds bonds = new HostBonds();
        Credential access = connector.access(host, port, localAddresses, timeoutMs, warnings);
        ServerConnection connection = connector.withLanes(access, bonds);
        RemoteOperations operations = new RemoteOperations(connection.client(), host, port, timeoutMs, Resources.LENT);
        return new Connected(connection, bonds, operations);
    }

    /** Like {@code Fdt.copy}; the plan must name this server. */
    public TransferJob copy(TransferPlan plan, TransferObserver observer) {
        Connector.requireLocal(plan.get(CopyValue.LOCAL_ADDRESSES));
        return new ClientTransfer(plan, connection.lent(), bonds.watches(), observer);
    }

    /** All use the same session. Closed with this. */
    public Operations operations() {
        return operations;
    }

    @Override
    public void close() {
        operations.close();
        connection.close(CLOSE_MS);
    }
}
