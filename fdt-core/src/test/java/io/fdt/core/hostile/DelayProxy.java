package io.fdt.core.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A proxy that simulates a long line: it delivers everything after a delay, in order. */
final class DelayProxy implements AutoCloseable {
    private static final int PIECE_BYTES = 64 << 10;

    private final ServerSocket listening;
    private final InetSocketAddress server;
    private final long delayNanos;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    private record Piece(byte[] bytes, int length, long dueNanos) {}

    /** @param roundTripMs the round-trip time; half of it each way */
    DelayProxy(InetSocketAddress server, long roundTripMs) throws IOException {
        this.server = server;
        this.delayNanos = TimeUnit.MILLISECONDS.toNanos(roundTripMs) / 2;
        this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException over) {
                        // The connection or the test has ended.
                        return;
                    }
                },
                "delay-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            take(listening.accept());
        }
    }

    /** Connects a client to the server. */
    void take(Socket client) throws IOException {
        Socket far = new Socket();
        far.connect(server);
        sockets.add(client);
        sockets.add(far);
        pump(client, far);
        pump(far, client);
    }

    private void pump(Socket from, Socket to) {
        LinkedBlockingQueue<Piece> underway = new LinkedBlockingQueue<>();
        start(() -> {
            InputStream in = from.getInputStream();
            int count = 0;
            while (count >= 0) {
                byte[] bytes = new byte[PIECE_BYTES];
                try {
                    count = in.read(bytes);
                } catch (IOException cut) {
                    count = -1;
                }
                underway.add(new Piece(bytes, count, System.nanoTime() + delayNanos));
            }
        });
        start(() -> {
            OutputStream out = to.getOutputStream();
            for (Piece piece = underway.take(); piece.length >= 0; piece = underway.take()) {
                TimeUnit.NANOSECONDS.sleep(piece.dueNanos - System.nanoTime());
                out.write(piece.bytes, 0, piece.length);
            }
            to.shutdownOutput();
        });
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
