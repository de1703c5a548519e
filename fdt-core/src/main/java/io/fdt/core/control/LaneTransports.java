package io.fdt.core.control;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The transports available for the lanes of a client's sessions, and the choice for each session, which can be made
 * when the session is open, because the server then announces its own. RDMA is tested with one connection without data,
 * so that a path on which it does not work is detected before lanes are dialled repeatedly. Owns the RDMA transport;
 * the other one belongs to the caller. Thread-safe.
 */
public final class LaneTransports implements AutoCloseable {
    /** Longer than any working device takes to answer. A waiting session must not be given up meanwhile. */
    private static final long MAX_TRY_MS = 5_000;

    private final Carrier baseCarrier;
    private final Transport base;
    private final RdmaUse rdma;
    private final LanePlaces places;

    // Guarded by this.
    private @Nullable Transport overRdma;
    private boolean closed;

    private final LeftLanes left = new LeftLanes();

    public record LaneRoute(Carrier carrier, Transport transport, InetSocketAddress server) {}

    private LaneTransports(Carrier baseCarrier, Transport base, RdmaUse rdma, LanePlaces places) {
        this.baseCarrier = baseCarrier;
        this.base = base;
        this.rdma = rdma;
        this.places = places;
    }

    /** Always uses this transport. */
    public static LaneTransports over(Carrier carrier, Transport transport) {
        return new LaneTransports(carrier, transport, RdmaUse.NONE, LanePlaces.ANYWHERE);
    }

    /** TCP, or RDMA if requested; throws NO_RDMA if RDMA is required and this host has no device. */
    public static LaneTransports of(Transport tcp, RdmaUse rdma, LanePlaces places) {
        LaneTransports transports = new LaneTransports(Carrier.TCP, tcp, rdma, places);
        if (rdma.wish() == Wish.REQUIRED) {
            transports.openRdma();
        }
        return transports;
    }

    /** The lanes that sessions of this client have left. */
    public LeftLanes left() {
        return left;
    }

    /** The name of the default transport. */
    public String name() {
        return rdma.wish() == Wish.REQUIRED ? Carrier.RDMA.label() : base.name();
    }

    /**
     * Chooses for a session that has just been opened. May block for some seconds.
     *
     * @param notes receives the reason why it is not RDMA, if users should know
     * @throws TransferException CANNOT_CONNECT, NO_RDMA or USAGE if RDMA is required and does not work
     */
    public LaneRoute choose(
            Session session,
            InetSocketAddress server,
            @Nullable InetSocketAddress localAddress,
            long timeoutMs,
            Consumer<String> notes) {
        return switch (rdma.wish()) {
            case NEVER -> route(server);
            case REQUIRED -> required(session, server, localAddress, timeoutMs);
            case PREFERRED, IF_PRESENT -> preferred(session, server, localAddress, timeoutMs, notes);
        };
    }

    private LaneRoute required(
            Session session, InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs) {
        if (!session.clearLanes()) {
            throw notEncrypted();
        }
        if (session.rdmaPort() == 0) {
            throw Cause.NO_RDMA
                    .advise("start it with --transport rdma if its host has a device")
                    .failure(session.peer() + " accepts no lanes over RDMA");
        }
        return tried(session, server, localAddress, timeoutMs);
    }

    /** Data never goes unencrypted unless the user requested it. */
    public static TransferException notEncrypted() {
        return Cause.USAGE.failure(
                "lanes over RDMA are not encrypted: add --clear-lanes, which the server must allow, or use --transport"
                        + " tcp");
    }

    private LaneRoute preferred(
            Session session,
            InetSocketAddress server,
            @Nullable InetSocketAddress localAddress,
            long timeoutMs,
            Consumer<String> notes) {
        String why = rdma.provider().obstacle();
        if (why == null && session.rdmaPort() == 0) {
            why = session.peer() + " accepts no lanes over RDMA";
        }
        if (why == null && !session.clearLanes()) {
            why = "lanes over RDMA are not encrypted, but encryption is required";
        }
        boolean warns = rdma.wish() == Wish.PREFERRED;
        if (why == null) {
            try {
                return tried(session, server, localAddress, timeoutMs);
            } catch (TransferException failed) {
                why = String.valueOf(failed.getMessage());
                // Both ends have it and it does not work: users should know.
                warns = true;
            }
        }
        if (warns) {
            notes.accept("lanes go over TCP: " + why);
        }
        return route(server);
    }

    /** The default route, for sessions without lanes and for peers that all support it. */
    public LaneRoute route(InetSocketAddress server) {
        return new LaneRoute(baseCarrier, base, server);
    }

    private LaneRoute tried(
            Session session, InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs) {
        Transport transport = openRdma();
        InetSocketAddress listener = new InetSocketAddress(server.getAddress(), session.rdmaPort());
        transport
                .connect(listener, localAddress, true, Math.min(MAX_TRY_MS, Math.max(1, timeoutMs / 2)))
                .close();
        return new LaneRoute(Carrier.RDMA, transport, listener);
    }

    private synchronized Transport openRdma() {
        if (closed) {
            throw Cause.INTERRUPTED.failure("closed at this end");
        }
        Transport open = overRdma;
        if (open == null) {
            open = rdma.provider().open(places);
            overRdma = open;
        }
        return open;
    }

    @Override
    public void close() {
        Transport open;
        synchronized (this) {
            closed = true;
            open = overRdma;
            overRdma = null;
        }
        if (open != null) {
            open.close();
        }
    }
}
