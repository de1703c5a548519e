package io.fdt.system;

import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Fault.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on 127.0.0.1 in front of a server that disturbs connections on request: it cuts, stalls, delays, slows
 * down, flips bits and refuses. {@link Fault}s occur at exact offsets of a stream, so that a script of faults is
 * reproducible. The other methods act on the open connections at once. The proxy also counts the bytes that pass, so
 * that tests can compare them with the figures of fdt.
 *
 * <p>One thread accepts, and each connection has two threads that forward. Thread-safe.
 */
final class FaultProxy implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 16;
    private static final int CONNECT_LIMIT_MS = 5_000;
    private static final long LOOK_EVERY_NANOS = 1_000_000;

    private final int serverPort;
    private final int port;
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private final List<Trigger> triggers = new CopyOnWriteArrayList<>();
    private final AtomicLong total = new AtomicLong();
    private final Pace pace = new Pace();

    private volatile long delayNanos;
    private volatile boolean closed;
    /** Null while new connections are refused. Changed under the proxy's lock. */
    private volatile @Nullable ServerSocket listener;

    private Thread acceptor = new Thread("proxy-none");

    private FaultProxy(int serverPort) {
        this.serverPort = serverPort;
        this.port = acceptOn(0);
    }

    /** Starts a proxy in front of the server that listens on this port of 127.0.0.1. */
    static FaultProxy before(int serverPort) {
        return new FaultProxy(serverPort);
    }

    /** The port that clients connect to. */
    int port() {
        return port;
    }

    /** Adds faults to the script. A fault affects connections whose streams have not yet reached its offset. */
    FaultProxy script(Fault... more) {
        faults.addAll(List.of(more));
        return this;
    }

    /**
     * Runs an action once, before the piece that contains the byte with this number, counted over all streams, is
     * forwarded.
     */
    void when(long totalBytes, Runnable action) {
        triggers.add(new Trigger(totalBytes, action));
    }

    /** Limits the throughput once this many bytes have passed, and then counts down: a copy stays in its middle. */
    CountDownLatch slowDownAfter(long totalBytes, long bytesPerSecond) {
        CountDownLatch slow = new CountDownLatch(1);
        when(totalBytes, () -> {
            throttle(bytesPerSecond);
            slow.countDown();
        });
        return slow;
    }

    /** Limits the throughput of all connections together to this many bytes a second. 0 removes the limit. */
    FaultProxy throttle(long bytesPerSecond) {
        pace.limit(bytesPerSecond);
        return this;
    }

    /** Delays every piece by this time before it is forwarded. */
    FaultProxy delay(Duration time) {
        delayNanos = time.toNanos();
        return this;
    }

    /** All connections so far, including those that have ended, in the order of their numbers. */
    List<Connection> connections() {
        return List.copyOf(connections);
    }

    /** The number of bytes forwarded so far, in both directions. */
    long totalBytes() {
        return total.get();
    }

    void cutAll(Ending ending) {
        connections.forEach(connection -> connection.cut(ending));
    }

    void stallAll() {
        connections.forEach(Connection::stall);
    }

    boolean isCut(int connection) {
        return connections.size() > connection && !connections.get(connection).isOpen();
    }

    /** Lets all stalled connections go on, also those that stall later, until the client has ended. */
    void resumeUntilEnd(FdtProcess client) {
        Await.until("the client has ended", Workplace.LIMIT, () -> {
            connections.forEach(Connection::resume);
            return !client.isAlive();
        });
    }

    /** Refuses new connections, as a host does if no process listens on the port. */
    synchronized void refuseNew() {
        closeListener();
    }

    /** Accepts new connections again. */
    synchronized void acceptNew() {
        if (listener == null && !closed) {
            acceptOn(port);
        }
    }

    /** Closes the listener and all connections. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        closeListener();
        cutAll(Ending.RESET);
    }

    private void closeListener() {
        ServerSocket open = listener;
        listener = null;
        if (open != null) {
            try {
                open.close();
                // The kernel keeps listening until the last call of accept has returned.
                acceptor.join(CONNECT_LIMIT_MS);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int acceptOn(int wantedPort) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wantedPort));
            listener = socket;
            acceptor = startThread("proxy-accept", () -> acceptFrom(socket));
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy cannot listen", e);
        }
    }

    private void acceptFrom(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Socket server = new Socket();
                try {
                    server.connect(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort), CONNECT_LIMIT_MS);
                    // Before others can cut it: a closed socket has no options, and this thread must go on.
                    client.setTcpNoDelay(true);
                    server.setTcpNoDelay(true);
                } catch (IOException e) {
                    end(client, Ending.RESET);
                    continue;
                }
                Connection connection = new Connection(connections.size(), client, server);
                connections.add(connection);
                connection.start();
                if (closed) {
                    connection.cut(Ending.RESET);
                }
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static Thread startThread(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void end(Socket socket, Ending ending) {
        try {
            if (ending == Ending.RESET) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        } catch (SocketException e) {
            // The socket is already closed, which is the requested state.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client's connection to the server through the proxy. */
    final class Connection {
        private final int index;
        private final Socket client;
        private final Socket server;
        private final String clientAddress;
        private final AtomicLong toServer = new AtomicLong();
        private final AtomicLong toClient = new AtomicLong();
        private final Pace ownPace = new Pace();
        private volatile boolean stalled;
        private volatile boolean ended;

        Connection(int index, Socket client, Socket server) {
            this.index = index;
            this.client = client;
            this.server = server;
            this.clientAddress = client.getInetAddress().getHostAddress();
        }

        private void start() {
            startThread("proxy-" + index + "-to-server", () -> forward(client, server, Way.TO_SERVER, toServer));
            startThread("proxy-" + index + "-to-client", () -> forward(server, client, Way.TO_CLIENT, toClient));
        }

        int index() {
            return index;
        }

        long bytes(Way way) {
            return way == Way.TO_SERVER ? toServer.get() : toClient.get();
        }

        String clientAddress() {
            return clientAddress;
        }

        boolean isOpen() {
            return !ended;
        }

        void cut(Ending ending) {
            ended = true;
            end(client, ending);
            end(server, ending);
        }

        /** Stops forwarding in both directions until {@link #resume}. */
        void stall() {
            stalled = true;
        }

        void resume() {
            stalled = false;
        }

        /** Like {@link FaultProxy#throttle}, for this connection only. */
        void throttle(long bytesPerSecond) {
            ownPace.limit(bytesPerSecond);
        }

        private void forward(Socket from, Socket to, Way way, AtomicLong count) {
            byte[] piece = new byte[PIECE_BYTES];
            try {
                while (true) {
                    int length = from.getInputStream().read(piece, 0, pieceBytes());
                    if (length < 0) {
                        to.shutdownOutput();
                        break;
                    }
                    if (!forward(piece, length, to, way, count)) {
                        return;
                    }
                }
            } catch (SocketTimeoutException e) {
                throw new AssertionError("no socket of the proxy has a time limit", e);
            } catch (IOException e) {
                // One end is gone, so the other connection is cut too.
                cut(Ending.RESET);
            }
            if (client.isOutputShutdown() && server.isOutputShutdown()) {
                cut(Ending.CLOSE);
            }
        }

        /**
         * Forwards a piece up to its first fault, applies the fault, and continues. Returns false if the connection is
         * cut.
         */
        private boolean forward(byte[] piece, int length, Socket to, Way way, AtomicLong count) throws IOException {
            int done = 0;
            while (done < length) {
                long position = count.get();
                int stop = length - done;
                for (Fault fault : faults) {
                    if (fault.concerns(index, way) && fault.offset() >= position) {
                        if (fault.offset() == position) {
                            if (!happens(fault, piece, done)) {
                                return false;
                            }
                        } else {
                            stop = (int) Math.min(stop, fault.offset() - position);
                        }
                    }
                }
                pass(stop);
                to.getOutputStream().write(piece, done, stop);
                count.addAndGet(stop);
                done += stop;
            }
            return true;
        }

        /** Applies a fault. Returns false if the fault cuts the connection. */
        private boolean happens(Fault fault, byte[] piece, int at) {
            if (fault instanceof Fault.FlipBit flip) {
                piece[at] ^= (byte) (1 << flip.bit());
            } else if (fault instanceof Fault.Stall) {
                stall();
            } else if (fault instanceof Fault.Cut cut) {
                cut(cut.ending());
                return false;
            }
            return true;
        }

        /** Delays a piece as the limits require, and counts it. */
        private void pass(int length) throws IOException {
            if (delayNanos > 0) {
                LockSupport.parkNanos(delayNanos);
            }
            ownPace.pass(length);
            pace.pass(length);
            long after = total.addAndGet(length);
            for (Trigger trigger : triggers) {
                trigger.reached(after);
            }
            while (stalled && !ended) {
                LockSupport.parkNanos(LOOK_EVERY_NANOS);
            }
            if (ended) {
                throw new SocketException("cut");
            }
        }

        /** Small enough that a slow stream flows evenly. */
        private int pieceBytes() {
            return Math.min(Math.min(PIECE_BYTES, pace.pieceBytes()), ownPace.pieceBytes());
        }
    }

    private static final class Trigger {
        private final long totalBytes;
        private final Runnable action;
        private boolean done;

        Trigger(long totalBytes, Runnable action) {
            this.totalBytes = totalBytes;
            this.action = action;
        }

        /**
         * Runs the action if it is due. Other streams wait meanwhile, so that no bytes pass between the check and the
         * action.
         */
        synchronized void reached(long bytes) {
            if (!done && bytes >= totalBytes) {
                done = true;
                action.run();
            }
        }
    }

    /** A limit in bytes a second. */
    private static final class Pace {
        private long bytesPerSecond;
        private long nextNanos;

        synchronized void limit(long limit) {
            bytesPerSecond = limit;
            nextNanos = System.nanoTime();
        }

        synchronized int pieceBytes() {
            return bytesPerSecond == 0 ? PIECE_BYTES : (int) Math.max(1, Math.min(PIECE_BYTES, bytesPerSecond / 50));
        }

        void pass(int length) {
            long dueNanos;
            synchronized (this) {
                if (bytesPerSecond == 0) {
                    return;
                }
                dueNanos = Math.max(nextNanos, System.nanoTime());
                nextNanos = dueNanos + length * 1_000_000_000L / bytesPerSecond;
            }
            for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    /** Describes how much each connection carried, for messages. */
    String describe() {
        List<String> lines = new ArrayList<>();
        for (Connection connection : connections) {
            lines.add("connection " + connection.index() + ": " + connection.bytes(Way.TO_SERVER)
                    + " bytes to the server, " + connection.bytes(Way.TO_CLIENT) + " to the client, "
                    + (connection.isOpen() ? "open" : "ended"));
        }
        return String.join("\n", lines);
    }
}
