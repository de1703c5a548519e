package io.fdt.core;

import io.fdt.core.control.Client;
import io.fdt.core.control.Server;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transfer.ClientTransfer;
import io.fdt.core.transfer.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.TransferService;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The library's public face: starts transfers and servers. The home directory holds identity and keys; settings of the
 * network are given whole. Everything else is the engine's own business.
 */
public final class Fdt {
    private Fdt() {}

    /** A transfer that has started; {@link #close} frees its threads after its end. */
    public static final class Copy implements AutoCloseable {
        private final TcpTransport transport;
        private final Client client;
        private final TransferJob job;

        private Copy(TcpTransport transport, Client client, TransferJob job) {
            this.transport = transport;
            this.client = client;
            this.job = job;
        }

        public TransferJob job() {
            return job;
        }

        /** What carries the lanes: {@code epoll}, {@code io_uring}, {@code nio}. */
        public String transport() {
            return transport.name();
        }

        @Override
        public void close() {
            client.close();
            transport.close();
        }
    }

    /**
     * Starts a transfer.
     *
     * @param keyLine what FDT_KEY holds, or null: the key is then looked up in the home directory
     * @throws TransferException USAGE or REFUSED, when it cannot even begin
     */
    public static Copy copy(
            Path home, @Nullable String keyLine, TcpSettings network, TransferPlan plan, TransferObserver observer) {
        ServerAccess access = new KnownServers(home).find(plan.host(), plan.port(), keyLine);
        TcpTransport transport = TcpTransport.forClient(network, access.fingerprint());
        Client client = new Client(transport, access, Version.software(), Clock.SYSTEM);
        return new Copy(transport, client, new ClientTransfer(plan, client, transport, observer));
    }

    /** A server that listens. */
    public static final class Serving implements AutoCloseable {
        private final TcpTransport transport;
        private final Server server;
        private final Transport.Listener listener;

        private Serving(TcpTransport transport, Server server, Transport.Listener listener) {
            this.transport = transport;
            this.server = server;
            this.listener = listener;
        }

        public InetSocketAddress address() {
            return listener.address();
        }

        public String transport() {
            return transport.name();
        }

        /** Takes no more connections, and lets running sessions reach a resumable state. */
        public boolean stop(long timeoutMs) throws InterruptedException {
            listener.close();
            return server.stop(
                    FailureKind.CONNECTION_LOST,
                    "the server is stopping; run the same command again to resume",
                    timeoutMs);
        }

        @Override
        public void close() {
            listener.close();
            server.close();
            transport.close();
        }
    }

    /** Starts a server; it makes its identity and its first key if it has none. */
    public static Serving serve(
            Path home,
            TcpSettings network,
            InetSocketAddress address,
            ExportedRoots roots,
            ServerLimits limits,
            ServerObserver observer) {
        Identity identity = Identity.loadOrCreate(home);
        KeyStore keys = new KeyStore(home);
        keys.createDefaultOnce();
        TcpTransport transport = TcpTransport.forServer(network, identity);
        TransferService transfers = new TransferService(roots, network.clearLanes());
        Server server = new Server(
                identity.fingerprint(), keys, List.of(transfers), limits, observer, Version.software(), Clock.SYSTEM);
        try {
            return new Serving(transport, server, transport.listen(address, server));
        } catch (TransferException cannotListen) {
            server.close();
            transport.close();
            throw cannotListen;
        }
    }
}
