package io.fdt.core.transport.local;

import io.fdt.core.basic.Addresses;
import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.nativecode.UnnamedMemory;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.EventDescriptor;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.OpenLanes;
import io.fdt.core.transport.StreamLane;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lanes between processes of one user on one host. A server listens on a Unix-domain socket in the abstract namespace,
 * so nothing is left behind however it ends. The name is derived from the user, the server's identity and its TCP port,
 * so a client that knows the port knows the socket. Each end has the kernel identify the user of the other. The proof
 * that a lane belongs to its session is the same as on every lane.
 *
 * <p>Threads: {@code fdt-local} for each listener, and {@code fdt-lane-N} for each started lane. Linux only.
 */
public final class LocalTransport implements Transport {
    private static final long CLOSE_TIMEOUT_MS = 10_000;

    /** The most that the kernel's default limit permits. */
    private static final int SEND_BUFFER_BYTES = 256 << 10;

    private final Carrier carrier;
    private final String realm;
    private final String name;
    private final OpenLanes open = new OpenLanes();
    private final LaneNames names = new LaneNames(LanePlaces.ANYWHERE);

    private LocalTransport(Carrier carrier, String realm, String name) {
        this.carrier = carrier;
        this.realm = realm;
        this.name = name;
    }

    /** For a process that listens, for lanes of both kinds. The realm distinguishes servers with the same port. */
    public static LocalTransport forServer(String realm) {
        return new LocalTransport(Carrier.UNIX, realm, "local");
    }

    /** For a process that connects to a server of this realm. */
    public static LocalTransport forClient(Carrier carrier, String realm) {
        if (!carrier.isInsideHost()) {
            throw new IllegalArgumentException(carrier + " is not inside a host");
        }
        return new LocalTransport(carrier, realm, carrier.label());
    }

    @Override
    public String name() {
        return name;
    }

    private String socketName(InetSocketAddress server) {
        return socketName(realm, server.getPort());
    }

    static String socketName(String realm, int port) {
        return "fdt-local/" + Libc.geteuid() + "/" + realm + "/" + port;
    }

    // ---- The client's side.

    /** Throws CANNOT_CONNECT if there is no server of this realm and this user on this host. */
    public void requireListener(InetSocketAddress server, long timeoutMs) {
        open.requireOpen();
        int fd = connected(server, timeoutMs);
        ByteBuffer look = Greeting.of(Greeting.LOOK);
        SocketCalls.send(fd, Libc.addressOf(look), Greeting.BYTES, true);
        Libc.close(fd);
    }

    /** The local address has no meaning within a host. */
    @Override
    public Lane connect(
            InetSocketAddress server, @Nullable InetSocketAddress localAddress, boolean clear, long timeoutMs) {
        open.requireOpen();
        if (!clear) {
            throw Cause.USAGE.failure("lanes within a host are not encrypted; use --tls with --transport tcp");
        }
        String peer = Addresses.shown(server);
        int fd = connected(server, timeoutMs);
        LocalStream stream = null;
        try {
            stream = carrier == Carrier.SHM ? offerRings(fd, peer) : offerSocket(fd, peer);
            awaitWelcome(fd, peer, timeoutMs);
            return newLane(stream, carrier.label());
        } catch (TransferException failure) {
            if (stream == null) {
                Libc.close(fd);
            } else {
                stream.close();
            }
            throw failure;
        }
    }

    private int connected(InetSocketAddress server, long timeoutMs) {
        int fd = checked(Kernel.newSocket(), "make a socket");
        SocketCalls.setTimeouts(fd, Kernel.memory(16), timeoutMs);
        int connected = Kernel.connectTo(fd, socketName(server));
        Kernel.Peer there = connected < 0 ? null : Kernel.peerOf(fd);
        if (there != null && there.uid() == Libc.geteuid()) {
            return fd;
        }
        Libc.close(fd);
        String cannot = "cannot connect to " + Addresses.shown(server) + " inside this host: ";
        throw connected == -SocketCalls.EAGAIN
                ? Cause.NO_ANSWER.failure(cannot + "no answer within " + Figures.exactTimeMs(timeoutMs))
                : Cause.CANNOT_CONNECT
                        .advise("use tcp: --transport unix and shm need both ends on one host and under one user")
                        .failure(cannot + "this user runs no such server here");
    }

    private static LocalStream offerSocket(int fd, String peer) {
        ByteBuffer greeting = Greeting.of(Greeting.UNIX_LANE);
        requireSent(SocketCalls.send(fd, Libc.addressOf(greeting), Greeting.BYTES, true), peer);
        return new SocketStream(fd, peer);
    }

    private static LocalStream offerRings(int fd, String peer) {
        int memoryFd = checked(UnnamedMemory.create("fdt-lane", Ring.TOTAL_BYTES), "get shared memory for a lane");
        try {
            SharedMemory memory = SharedMemory.of(memoryFd, "this process");
            RingStream stream = new RingStream(fd, peer, memory, true);
            int sent = Kernel.sendWith(fd, Greeting.of(Greeting.SHM_LANE), memoryFd);
            if (sent != Greeting.BYTES) {
                memory.close();
            }
            requireSent(sent, peer);
            return stream;
        } finally {
            Libc.close(memoryFd);
        }
    }

    private static void requireSent(int sent, String peer) {
        if (sent != Greeting.BYTES) {
            throw notConnected(peer, "it did not accept the greeting");
        }
    }

    private static void awaitWelcome(int fd, String peer, long timeoutMs) {
        ByteBuffer answer = ByteBuffer.allocateDirect(Greeting.BYTES);
        int came = receiveAll(fd, answer, 0, timeoutMs);
        if (came < Greeting.BYTES) {
            throw notConnected(peer, "it did not answer");
        }
        if (!Greeting.isGreeting(answer)) {
            throw notConnected(peer, "its answer is not from fdt");
        }
        if (Greeting.version(answer) != Greeting.VERSION) {
            throw Cause.VERSION.failure(peer + " opens lanes within a host with version " + Greeting.version(answer)
                    + ", but this fdt uses version " + Greeting.VERSION);
        }
        if (Greeting.code(answer) != Greeting.WELCOME) {
            throw notConnected(peer, "it accepts no more lanes");
        }
    }

    private static TransferException notConnected(String peer, String what) {
        return Cause.CANNOT_CONNECT.failure("cannot open a lane to " + peer + " inside this host: " + what);
    }

    /** Receives until the buffer is full, the peer ends or the time is over; returns how many bytes there are. */
    static int receiveAll(int fd, ByteBuffer bytes, int from, long timeoutMs) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        long address = Libc.addressOf(bytes);
        int at = from;
        while (at < bytes.capacity() && System.nanoTime() - deadline < 0) {
            int came = SocketCalls.receive(fd, address + at, bytes.capacity() - at, true);
            if (came == 0 || (came < 0 && came != -SocketCalls.EAGAIN && came != -SocketCalls.EINTR)) {
                break;
            }
            at += Math.max(0, came);
        }
        return at;
    }

    private static int checked(int result, String what) {
        if (result < 0) {
            throw Cause.CANNOT_CONNECT.failure("cannot " + what + ": " + Kernel.reason(-result));
        }
        return result;
    }

    // ---- The server's side.

    /** The port of the address is part of the name of the socket, and must not be 0. */
    @Override
    public Listener listen(InetSocketAddress address, Acceptor acceptor) {
        open.requireOpen();
        if (address.getPort() == 0) {
            throw new IllegalArgumentException("lanes within a host need the port of their server");
        }
        return open.add(LocalListener.open(this, address, socketName(address), acceptor));
    }

    /** Closes every listener; accepted lanes continue. */
    public void stopListening() {
        open.closeListeners();
    }

    /** The number of lanes, started or not. */
    int laneCount() {
        return open.laneCount();
    }

    /** Makes a lane of an opened stream; the lane ends with the transport. */
    StreamLane newLane(LocalStream stream, String kind) {
        SocketCalls.setTimeouts(stream.fd, Kernel.memory(16), LocalStream.WAIT_MS);
        Kernel.setSendBuffer(stream.fd, SEND_BUFFER_BYTES);
        return open.add(new StreamLane(stream, kind + ", clear", newWakeUp(), names, () -> {}, open::remove));
    }

    static EventDescriptor newWakeUp() {
        try {
            return new EventDescriptor();
        } catch (IOException none) {
            throw Cause.CANNOT_CONNECT.failure(String.valueOf(none.getMessage()));
        }
    }

    @Override
    public void close() {
        open.close(CLOSE_TIMEOUT_MS);
    }

    /** Closes everything, and waits up to this long until the threads have ended. */
    public void close(long timeoutMs) {
        open.close(timeoutMs);
    }
}
