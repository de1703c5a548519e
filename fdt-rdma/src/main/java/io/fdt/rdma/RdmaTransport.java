package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.fdt.core.basic.Addresses;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.OpenLanes;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lanes over RDMA: InfiniBand, RoCE, or soft-RoCE. Addresses are those of IP, and the route to an address determines
 * the device. The memory of a lane is registered when it is connected, so what the peer sends before the start has its
 * place. Nothing is encrypted. The proof that a lane belongs to its session is the same as on every lane.
 *
 * <p>Threads: {@code fdt-rdma-listener} for each listener, and {@code fdt-lane-N} for each started lane. Loaded by
 * {@link RdmaLoader} and created by {@link Rdma}.
 */
public final class RdmaTransport implements Transport {
    static final String NAME = "rdma";

    private static final long CLOSE_TIMEOUT_MS = 10_000;

    private final RdmaSettings settings;
    private final LaneNames names;
    private final NativeDispatcher natives = Disni.NATIVES;
    private final OpenLanes open = new OpenLanes();

    /** @throws TransferException NO_RDMA if the host has no RDMA device */
    public RdmaTransport(RdmaSettings settings, LanePlaces places) {
        this.settings = settings;
        this.names = new LaneNames(places);
        if (Verbs.devices().length == 0) {
            throw Cause.NO_RDMA.failure(
                    "RDMA is not available on this host: it has no RDMA device (ibv_devices lists them)");
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    RdmaSettings settings() {
        return settings;
    }

    int laneCount() {
        return open.laneCount();
    }

    // ---- The client's side.

    @Override
    public Lane connect(
            InetSocketAddress server, @Nullable InetSocketAddress localAddress, boolean clear, long timeoutMs) {
        open.requireOpen();
        if (!clear) {
            throw Cause.USAGE.failure("lanes over RDMA are not encrypted; use --transport tcp for encrypted lanes");
        }
        String peer = Addresses.shown(server);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            return connect(resolved(server), localAddress, peer, deadline);
        } catch (IOException failed) {
            throw cannot(peer, String.valueOf(failed.getMessage()));
        }
    }

    private Lane connect(InetSocketAddress server, @Nullable InetSocketAddress local, String peer, long deadline)
            throws IOException {
        long channel = Disni.handle(natives._createEventChannel(), "event channel");
        long id = 0;
        QueuePair pair = null;
        boolean done = false;
        try (CmEvent event = new CmEvent();
                PrivateData data = new PrivateData()) {
            id = Disni.handle(natives._createId(channel, Disni.TCP_PORTS), "connection");
            if (local != null && !local.isUnresolved()) {
                bind(id, local);
            }
            InetAddress address = server.getAddress();
            Verbs.resolve(id, address.getAddress(), server.getPort(), scopeOf(address), leftMs(deadline));
            await(channel, event, CmEvent.ADDRESS_RESOLVED, peer, deadline);
            natives._resolveRoute(id, leftMs(deadline));
            await(channel, event, CmEvent.ROUTE_RESOLVED, peer, deadline);
            pair = new QueuePair(id, channel, settings);
            pair.connect(data.bytes, data.address);
            await(channel, event, CmEvent.ESTABLISHED, peer, deadline);
            Lane lane = newLane(pair, welcome(event, peer), peer, () -> {});
            done = true;
            return lane;
        } finally {
            if (!done) {
                abandon(pair, id, channel);
            }
        }
    }

    private void abandon(@Nullable QueuePair pair, long id, long channel) {
        if (pair != null) {
            pair.close();
            return;
        }
        if (id != 0) {
            natives._destroyCmId(id);
        }
        natives._destroyEventChannel(channel);
    }

    private static Hello welcome(CmEvent event, String peer) throws IOException {
        if (!Hello.isHello(event.privateData())) {
            throw new IOException("its answer is not from fdt");
        }
        requireVersion(Hello.version(event.privateData()), peer);
        Hello hello = Hello.read(event.privateData());
        if (hello == null) {
            throw new IOException("it grants blocks of another kind");
        }
        return hello;
    }

    private static void requireVersion(int version, String peer) {
        if (version != Hello.VERSION) {
            throw Cause.VERSION.failure(peer + " opens lanes over RDMA with version " + version
                    + ", but this fdt uses version " + Hello.VERSION);
        }
    }

    private static void await(long channel, CmEvent event, int kind, String peer, long deadline) throws IOException {
        while (!event.takeFrom(channel)) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new IOException("no answer within the time for connecting");
            }
            Verbs.await(0, channel, -1, (int) Math.min(left, 1_000));
        }
        if (event.kind() == CmEvent.REJECTED && Hello.isHello(event.privateData())) {
            requireVersion(Hello.version(event.privateData()), peer);
            throw new IOException("it accepts no more lanes");
        }
        if (event.kind() != kind) {
            throw new IOException(event.text());
        }
    }

    private static int leftMs(long deadline) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, left));
    }

    private static InetSocketAddress resolved(InetSocketAddress address) throws UnknownHostException {
        return address.isUnresolved()
                ? new InetSocketAddress(InetAddress.getByName(address.getHostString()), address.getPort())
                : address;
    }

    private static int scopeOf(InetAddress address) {
        return address instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    }

    static void bind(long id, InetSocketAddress address) throws IOException {
        InetAddress ip = address.getAddress();
        Verbs.bind(id, ip.getAddress(), address.getPort(), scopeOf(ip));
    }

    private static TransferException cannot(String peer, String why) {
        return Cause.CANNOT_CONNECT.failure("cannot connect to " + peer + " over RDMA: " + why);
    }

    // ---- The server's side.

    @Override
    public Listener listen(InetSocketAddress address, Acceptor acceptor) {
        open.requireOpen();
        try {
            return open.add(RdmaListener.open(this, address, acceptor));
        } catch (IOException cannot) {
            throw Cause.USAGE.failure(
                    "cannot listen on " + Addresses.shown(address) + " over RDMA: " + cannot.getMessage(), cannot);
        }
    }

    void forget(RdmaListener listener) {
        open.remove(listener);
    }

    /** Creates a lane from a connection; the lane ends with the transport. */
    RdmaLane newLane(QueuePair pair, Hello peerBlocks, String peer, Runnable onAdmitted) throws IOException {
        int blockBytes = Math.min(settings.blocks().bytes(), peerBlocks.blockBytes());
        int kib = (blockBytes - RdmaSettings.ROOM_BYTES) >> 10;
        String blocks = blockBytes == RdmaSettings.MIN_BLOCK_BYTES ? "" : ", blocks of " + kib + " KiB";
        String description = NAME + " " + pair.device + blocks + ", clear";
        return open.add(new RdmaLane(pair, peerBlocks, peer, description, open::remove, onAdmitted, names));
    }

    @Override
    public void close() {
        open.close(CLOSE_TIMEOUT_MS);
    }
}
