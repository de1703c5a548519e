package io.fdt.core.transport.local;

import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.transport.AcceptFailures;
import io.fdt.core.transport.EventDescriptor;
import io.fdt.core.transport.StreamLane;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A server's listener for clients on its host. Its thread, {@code fdt-local}, handles one greeting at a time.
 * Connections of other users are closed before anything is read from them, so only a process that could end this one
 * anyway can delay the thread, and for at most {@link #GREETING_MS}.
 */
final class LocalListener implements Transport.Listener {
    private static final int BACKLOG = 1024;
    private static final long GREETING_MS = 1_000;
    private static final long STOP_MS = 5_000;
    private static final long PAUSE_MS = 100;

    /** The maximum number of concurrent lanes of this transport. */
    private static final int MAX_LANES = 1024;

    private final LocalTransport transport;
    private final InetSocketAddress address;
    private final Transport.Acceptor acceptor;
    private final int fd;
    private final AcceptFailures failures;
    private final EventDescriptor wakeUp = LocalTransport.newWakeUp();
    private final Thread thread = Threads.daemon("fdt-local", this::run);
    private final SurvivedFailures mistakes = new SurvivedFailures();
    private volatile boolean closed;

    private LocalListener(LocalTransport transport, InetSocketAddress address, int fd, Transport.Acceptor acceptor) {
        this.transport = transport;
        this.address = address;
        this.fd = fd;
        this.acceptor = acceptor;
        this.failures = new AcceptFailures("the socket for lanes inside this host", acceptor::onWarning, Clock.SYSTEM);
    }

    static LocalListener open(
            LocalTransport transport, InetSocketAddress address, String name, Transport.Acceptor acceptor) {
        int fd = Kernel.newSocket();
        int listening = fd < 0 ? fd : Kernel.listenAt(fd, name, BACKLOG);
        if (listening < 0) {
            if (fd >= 0) {
                Libc.close(fd);
            }
            throw Cause.USAGE.failure("cannot listen inside the host for port " + address.getPort() + ": "
                    + (listening == -Kernel.EADDRINUSE ? "another server uses it" : Kernel.reason(-listening)));
        }
        LocalListener listener = new LocalListener(transport, address, fd, acceptor);
        Threads.start(listener.thread);
        return listener;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        closed = true;
        wakeUp.ring();
        if (Thread.currentThread() != thread) {
            Threads.join(thread, STOP_MS);
        }
    }

    private void run() {
        ByteBuffer polled = Kernel.pollMemory();
        ByteBuffer greeting = ByteBuffer.allocateDirect(Greeting.BYTES);
        try {
            while (!closed) {
                Kernel.await(polled, fd, Kernel.POLLIN, wakeUp.descriptor(), Integer.MAX_VALUE);
                if (!closed && Kernel.events(polled, 0) != 0 && !acceptSafely(greeting)) {
                    // No descriptor is free: waiting peers are accepted later.
                    Kernel.await(polled, -1, 0, wakeUp.descriptor(), PAUSE_MS);
                }
            }
        } finally {
            Libc.close(fd);
            wakeUp.close();
        }
    }

    /** A connection that makes this server fail must not close the listener. */
    private boolean acceptSafely(ByteBuffer greeting) {
        try {
            return accept(greeting);
        } catch (RuntimeException | Error failure) {
            mistakes.report(failure);
            return true;
        }
    }

    /** Returns false if no peer could be accepted. */
    private boolean accept(ByteBuffer greeting) {
        int came = Kernel.acceptFrom(fd);
        if (came < 0) {
            failures.onFailure(Kernel.reason(-came));
            return false;
        }
        failures.onAccepted();
        try (Accepted socket = new Accepted(came)) {
            greet(socket, greeting);
        }
        return true;
    }

    /** A connection, which is closed unless a lane has taken it. */
    private static final class Accepted implements AutoCloseable {
        private int fd;

        Accepted(int fd) {
            this.fd = fd;
        }

        int fd() {
            return fd;
        }

        void onTaken() {
            fd = -1;
        }

        @Override
        public void close() {
            int open = fd;
            fd = -1;
            if (open >= 0) {
                Libc.close(open);
            }
        }
    }

    private void greet(Accepted socket, ByteBuffer greeting) {
        Kernel.Peer from = Kernel.peerOf(socket.fd());
        String peer = "process " + from.pid();
        if (from.uid() != Libc.geteuid()) {
            socket.close();
            acceptor.onGarbage(peer, Failure.of(Cause.REFUSED, "it belongs to another user (" + from.uid() + ")"));
            return;
        }
        SocketCalls.setTimeouts(socket.fd(), Kernel.memory(16), GREETING_MS);
        Kernel.Received received = Kernel.receiveWith(socket.fd(), greeting);
        try {
            int count = received.count();
            if (count > 0 && count < Greeting.BYTES) {
                count = LocalTransport.receiveAll(socket.fd(), greeting, count, GREETING_MS);
            }
            greet(socket, peer, greeting, count, received.descriptor());
        } finally {
            if (received.descriptor() >= 0) {
                Libc.close(received.descriptor());
            }
        }
    }

    private void greet(Accepted socket, String peer, ByteBuffer greeting, int count, int descriptor) {
        if (count < Greeting.BYTES || !Greeting.isGreeting(greeting)) {
            refuse(socket, peer, count <= 0 ? "it sent no greeting" : "its greeting is not from fdt");
            return;
        }
        if (Greeting.version(greeting) != Greeting.VERSION) {
            // The answer contains our version.
            refuse(socket, peer, "it opens lanes with version " + Greeting.version(greeting));
            return;
        }
        if (transport.laneCount() >= MAX_LANES) {
            refuse(socket, peer, "there are " + MAX_LANES + " lanes already");
            return;
        }
        switch (Greeting.code(greeting)) {
            case Greeting.LOOK -> socket.close();
            case Greeting.UNIX_LANE -> welcome(socket, new SocketStream(socket.fd(), peer), "unix");
            case Greeting.SHM_LANE -> openRings(socket, peer, descriptor);
            default -> refuse(socket, peer, "its greeting requests something unknown");
        }
    }

    private void openRings(Accepted socket, String peer, int descriptor) {
        if (descriptor < 0) {
            refuse(socket, peer, "it passed no memory for its lane");
            return;
        }
        SharedMemory memory;
        try {
            memory = SharedMemory.of(descriptor, peer);
        } catch (TransferException unfit) {
            refuse(socket, peer, String.valueOf(unfit.getMessage()));
            return;
        }
        welcome(socket, new RingStream(socket.fd(), peer, memory, false), "shm");
    }

    private void welcome(Accepted socket, LocalStream stream, String kind) {
        socket.onTaken();
        StreamLane lane = null;
        try {
            ByteBuffer answer = Greeting.of(Greeting.WELCOME);
            if (SocketCalls.send(stream.fd, Libc.addressOf(answer), Greeting.BYTES, false) == Greeting.BYTES) {
                lane = transport.newLane(stream, transport.name() + " " + kind);
            }
        } catch (TransferException noLane) {
            acceptor.onGarbage(stream.peer(), noLane.failure());
        } finally {
            if (lane == null) {
                stream.close();
            }
        }
        if (lane != null) {
            offer(lane);
        }
    }

    private void offer(StreamLane lane) {
        boolean wanted = false;
        try {
            acceptor.onLane(lane);
            wanted = true;
        } finally {
            if (!wanted) {
                lane.close();
            }
        }
    }

    private void refuse(Accepted socket, String peer, String why) {
        ByteBuffer answer = Greeting.of(Greeting.REFUSED);
        SocketCalls.send(socket.fd(), Libc.addressOf(answer), Greeting.BYTES, false);
        socket.close();
        acceptor.onGarbage(peer, Failure.of(Cause.MALFORMED, why));
    }
}
