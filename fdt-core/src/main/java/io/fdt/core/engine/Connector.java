package io.fdt.core.engine;

import io.fdt.core.basic.Addresses;
import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Version;
import io.fdt.core.control.Client;
import io.fdt.core.control.ClientLanes;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Credential;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.security.Tokens;
import io.fdt.core.thirdparty.OpaqueLinks;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.Links;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How this process reaches servers: its keys and its network settings. Checks what cannot work before it asks for
 * anything. Immutable.
 *
 * @param home of identity and keys
 * @param keyLine a key that takes precedence over those of the home
 * @param place how failures name the server; null for its URL
 * @param tokens where it finds a bearer token, if there is no key
 * @param certificate what a server of this process shows to clients with tokens; null for nothing
 */
public record Connector(
        Path home,
        @Nullable String keyLine,
        TcpSettings network,
        RdmaUse rdma,
        @Nullable String place,
        Tokens tokens,
        @Nullable Supplier<? extends @Nullable ServerCertificate> certificate) {
    /** Where the kernel exposes the state of the host. */
    public static final Path HOST_FILES = Path.of("/");

    public Connector withKey(@Nullable String line) {
        return new Connector(home, line, network, rdma, place, tokens, certificate);
    }

    public Connector withNetwork(TcpSettings settings) {
        return new Connector(home, keyLine, settings, rdma, place, tokens, certificate);
    }

    public Connector withRdma(RdmaUse use) {
        return new Connector(home, keyLine, network, use, place, tokens, certificate);
    }

    public Connector naming(String server) {
        return new Connector(home, keyLine, network, rdma, server, tokens, certificate);
    }

    public Connector withTokens(Tokens others) {
        return new Connector(home, keyLine, network, rdma, place, others, certificate);
    }

    public Connector withCertificate(Supplier<? extends @Nullable ServerCertificate> shown) {
        return new Connector(home, keyLine, network, rdma, place, tokens, shown);
    }

    public Credential access(String host, int port, long timeoutMs, Consumer<String> warnings) {
        return access(host, port, List.of(), timeoutMs, warnings);
    }

    /**
     * What admits this process to a server: a key or token that the user has given; otherwise the key for the server,
     * or else a token that was found. If no key has the server's name, one may have been made for another name of it:
     * the server shows its identity. A missing key is reported only if the server is reachable: otherwise the failure
     * is that nothing listens.
     *
     * @param local the addresses that the server is reached from; none for the system's choice
     * @param warnings receives which key is used in place of the one that is likely
     */
    public Credential access(
            String host, int port, List<InetAddress> local, long timeoutMs, Consumer<String> warnings) {
        KnownServers known = new KnownServers(home);
        if (keyLine != null && !keyLine.isBlank()) {
            return ServerAccess.parse(keyLine);
        }
        Credential given = tokens.givenFor(host);
        if (given != null) {
            return given;
        }
        try {
            ServerAccess found = known.find(host, port);
            if (!known.mayBeOther(host, port, found)) {
                return found;
            }
            Set<Fingerprint> possible = new HashSet<>(known.fingerprints());
            possible.add(found.fingerprint());
            Fingerprint shown = identity(host, port, possible, local, timeoutMs);
            ServerAccess other = shown == null ? null : known.withFingerprint(shown);
            if (shown == null || other == null || shown.equals(found.fingerprint())) {
                return found;
            }
            String name = known.nameOf(shown);
            String server = host + ":" + port;
            warnings.accept(server + " has the identity of " + name + ", so fdt uses the key for " + name
                    + ". To use it without this warning, import it with --server " + server + ".");
            return other;
        } catch (TransferException noKey) {
            if (noKey.kind() != FailureKind.REFUSED) {
                throw noKey;
            }
            Credential token = tokens.foundFor(host);
            Set<Fingerprint> possible = known.fingerprints();
            if (token != null && possible.isEmpty()) {
                return token;
            }
            Fingerprint shown = identity(host, port, possible, local, timeoutMs);
            ServerAccess other = shown == null ? null : known.withFingerprint(shown);
            if (other != null) {
                return other;
            }
            if (token != null) {
                return token;
            }
            throw noKey;
        }
    }

    /**
     * Returns which of these servers is at an address; null if it is another one, which logs that it is refused. Fails
     * if nothing answers.
     */
    private @Nullable Fingerprint identity(
            String host, int port, Set<Fingerprint> possible, List<InetAddress> local, long timeoutMs) {
        InetSocketAddress server = Client.resolved(host, port);
        AtomicReference<@Nullable Fingerprint> found = new AtomicReference<>();
        try (TcpTransport transport = TcpTransport.forClient(network, possible, found::set)) {
            transport
                    .connectLink(server, ClientLanes.localAddress(local, 0), timeoutMs)
                    .close();
            return found.get();
        } catch (TransferException failure) {
            if (failure.kind() == FailureKind.REFUSED) {
                return null;
            }
            throw failure;
        }
    }

    public static void requireLocal(List<InetAddress> addresses) {
        for (InetAddress address : addresses) {
            try (Socket socket = new Socket()) {
                socket.bind(new InetSocketAddress(address, 0));
            } catch (IOException e) {
                throw Cause.USAGE.failure(
                        Addresses.shown(address) + " is not an address of this host, so --bind cannot use it", e);
            }
        }
    }

    /** Checks the device first, then the permission for clear lanes. */
    public void requireRdma(boolean clear) {
        if (rdma.wish() != RdmaUse.Wish.REQUIRED) {
            return;
        }
        String obstacle = rdma.provider().obstacle();
        if (obstacle != null) {
            throw Cause.NO_RDMA.failure("no lanes over RDMA: " + obstacle);
        }
        if (!clear) {
            throw LaneTransports.notEncrypted();
        }
    }

    public ServerConnection withoutLanes(Credential access) {
        TcpTransport transport = TcpTransport.forClient(network, access);
        return connection(access, transport, LaneTransports.over(Carrier.TCP, transport), transport);
    }

    /**
     * For sessions whose lanes use TCP, or RDMA as requested.
     *
     * @param bonds over whose slaves the lanes are spread
     * @throws TransferException NO_RDMA if RDMA is required and this host has no device
     */
    public ServerConnection withLanes(Credential access, HostBonds bonds) {
        TcpTransport transport = TcpTransport.forClient(bonds.spread(network), access);
        try {
            return connection(access, transport, LaneTransports.of(transport, rdma, network.places()), transport);
        } catch (TransferException noRdma) {
            transport.close();
            throw noRdma;
        }
    }

    /**
     * For a copy to another server on a client's behalf, over TCP.
     *
     * @param operator receives the reason why there is no link, which the client does not
     */
    public ServerConnection forOther(Credential access, HostBonds bonds, Consumer<String> operator) {
        TcpTransport transport = TcpTransport.forClient(bonds.spread(network), access);
        LaneTransports transports = LaneTransports.of(transport, RdmaUse.NONE, network.places());
        return connection(access, new OpaqueLinks(transport, operator), transports, transport);
    }

    private ServerConnection connection(
            Credential access, Links links, LaneTransports transports, TcpTransport transport) {
        Client client = new Client(links, access, Version.software(), Clock.SYSTEM, place);
        return new ServerConnection(client, transports, timeoutMs -> {
            client.close();
            transports.close();
            transport.close(timeoutMs);
        });
    }
}
