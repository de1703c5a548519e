package io.fdt.core.transport.local;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.SurvivedFailures;
import io.fdt.core.Threads;
import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
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
            throw FailureKind.USAGE.failure("cannot listen inside the host for port " + address.getPort() + ": "
                    + (listening == -Kernel.EADDRINUSE ? "another server uses it" : Kernel.reason(-listening)));
        }
        LocalListener listener = new LocalListener(transport, address, fd, acceptor);
        listener.thread.start();
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
        Kernel.Peer from = Kernel.peerOf(came);
        String peer = "process " + from.pid();
        if (from.uid() != Libc.geteuid()) {
            Libc.close(came);
            acceptor.onGarbage(peer, "it belongs to another user (" + from.uid() + ")");
            return true;
        }
        SocketCalls.setTimeouts(came, Kernel.memory(16), GREETING_MS);
        Kernel.Received received = Kernel.receiveWith(came, greeting);
        int count = received.count();
        if (count > 0 && count < Greeting.BYTES) {
            count = LocalTransport.receiveAll(came, greeting, count, GREETING_MS);
        }
        try {
            greet(came, peer, greeting, count, received.descriptor());
        } finally {
            if (received.descriptor() >= 0) {
                Libc.close(received.descriptor());
            }
        }
        return true;
    }

    private void greet(int socket, String peer, ByteBuffer greeting, int count, int descriptor) {
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
            case Greeting.LOOK -> Libc.close(socket);
            case Greeting.UNIX_LANE -> welcome(new SocketStream(socket, peer), "unix");
            case Greeting.SHM_LANE -> openRings(socket, peer, descriptor);
            default -> refuse(socket, peer, "its greeting requests something unknown");
        }
    }

    private void openRings(int socket, String peer, int descriptor) {
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
        welcome(new RingStream(socket, peer, memory, false), "shm");
    }

    private void welcome(LocalStream stream, String kind) {
        ByteBuffer answer = Greeting.of(Greeting.WELCOME);
        if (SocketCalls.send(stream.fd, Libc.addressOf(answer), Greeting.BYTES, false) != Greeting.BYTES) {
            stream.close();
            return;
        }
        StreamLane lane;
        try {
            lane = transport.newLane(stream, transport.name() + " " + kind);
        } catch (TransferException noLane) {
            stream.close();
            acceptor.onGarbage(stream.peer(), String.valueOf(noLane.getMessage()));
            return;
        }
        try {
            acceptor.onLane(lane);
        } catch (RuntimeException unwanted) {
            lane.close();
            throw unwanted;
        }
    }

    private void refuse(int socket, String peer, String why) {
        ByteBuffer answer = Greeting.of(Greeting.REFUSED);
        SocketCalls.send(socket, Libc.addressOf(answer), Greeting.BYTES, false);
        Libc.close(socket);
        acceptor.onGarbage(peer, why);
    }
}
