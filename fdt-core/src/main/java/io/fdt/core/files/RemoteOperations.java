package io.fdt.core.files;

import io.fdt.core.control.Client;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.run.Resources;
import io.fdt.core.run.Running;
import org.jspecify.annotations.Nullable;

/** Operations on the files of a server. If their session is lost, the next operation opens another one. Thread-safe. */
public final class RemoteOperations implements Operations {
    private static final long CLOSE_MS = 2_000;

    private final Client client;
    private final String host;
    private final int port;
    private final long timeoutMs;
    private final Resources resources;
    private @Nullable OperationsSession current;

    /** @param resources closed with this */
    public RemoteOperations(Client client, String host, int port, long timeoutMs, Resources resources) {
        this.client = client;
        this.host = host;
        this.port = port;
        this.timeoutMs = timeoutMs;
        this.resources = resources;
    }

    @Override
    public synchronized Running<OperationSummary> start(FileOperation operation, OperationObserver observer) {
        operation.requireFitting();
        OperationsSession open = current;
        OperationRun run = open == null ? null : open.add(operation, observer);
        if (run == null) {
            OperationsSession next = new OperationsSession();
            current = next;
            run = next.begin(client, host, port, timeoutMs, operation, observer);
        }
        return run;
    }

    @Override
    public synchronized void close() {
        if (current != null) {
            current.close();
        }
        resources.close(CLOSE_MS);
    }
}
