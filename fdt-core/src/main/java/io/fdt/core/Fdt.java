package io.fdt.core;

import io.fdt.core.control.Client;
import io.fdt.core.control.Server;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.ClientTransfer;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.TransferService;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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
        requireLocal(plan.localAddresses());
        ServerAccess access = access(home, keyLine, network, plan);
        TcpTransport transport = TcpTransport.forClient(network, access.fingerprint());
        Client client = new Client(transport, access, Version.software(), Clock.SYSTEM);
        return new Copy(transport, client, new ClientTransfer(plan, client, transport, observer));
    }

    private static void requireLocal(List<InetAddress> addresses) {
        for (InetAddress address : addresses) {
            try (Socket socket = new Socket()) {
                socket.bind(new InetSocketAddress(address, 0));
            } catch (IOException e) {
                throw new TransferException(
                        FailureKind.USAGE, address.getHostAddress() + " is no address of this machine, for --bind", e);
            }
        }
    }

    /** Who has no key is told so only by a server that is there: otherwise that nobody is there is the news. */
    private static ServerAccess access(Path home, @Nullable String keyLine, TcpSettings network, TransferPlan plan) {
        try {
            return new KnownServers(home).find(plan.host(), plan.port(), keyLine);
        } catch (TransferException noKey) {
            if (noKey.kind() == FailureKind.REFUSED) {
                requireReachable(network, plan);
            }
            throw noKey;
        }
    }

    /** Returns if an fdt server answers; that it is not the one that was expected is expected here. */
    private static void requireReachable(TcpSettings network, TransferPlan plan) {
        InetSocketAddress server = new InetSocketAddress(plan.host(), plan.port());
        if (server.isUnresolved()) {
            throw new TransferException(FailureKind.CANNOT_CONNECT, "unknown host " + plan.host());
        }
        Fingerprint nobody = Fingerprint.ofBytes(new byte[Fingerprint.BYTES]);
        try (TcpTransport transport = TcpTransport.forClient(network, nobody)) {
            transport.connectLink(server, null, plan.timeoutMs()).close();
        } catch (TransferException failure) {
            if (failure.kind() != FailureKind.REFUSED) {
                throw failure;
            }
        }
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
        roots.requirePresent();
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
