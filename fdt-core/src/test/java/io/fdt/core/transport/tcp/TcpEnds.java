package io.fdt.core.transport.tcp;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Identity;
import io.fdt.core.security.TlsContext;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server and a client in one process, with the lanes, links and invalid connections that have reached the server. */
final class TcpEnds implements AutoCloseable {
    static final long TIMEOUT_MS = Await.LIMIT_MS;
    static final Identity IDENTITY = Identity.create();
    static final TcpSettings SETTINGS = TcpSettings.DEFAULTS;

    final BlockingQueue<Lane> lanes = new LinkedBlockingQueue<>();
    final BlockingQueue<MessageLink> links = new LinkedBlockingQueue<>();
    final BlockingQueue<String> garbage = new LinkedBlockingQueue<>();
    final TcpTransport server;
    final TcpTransport client;
    final TcpListener listener;

    TcpEnds(TcpSettings settings) {
        this(settings, false);
    }

    /** @param inPlace whether clear lanes send in place, as over a fast NIC */
    TcpEnds(TcpSettings settings, boolean inPlace) {
        server = new TcpTransport(settings, TlsContext.server(IDENTITY, null), null, local -> inPlace);
        client = new TcpTransport(settings, null, TlsContext.client(IDENTITY.fingerprint()), local -> inPlace);
        listener = (TcpListener) server.listen(loopback(0), new Transport.Acceptor() {
            @Override
            public void onLane(Lane lane) {
                lanes.add(lane);
            }

            @Override
            public void onLink(MessageLink link) {
                links.add(link);
            }

            @Override
            public void onGarbage(String peer, Failure what) {
                garbage.add(what.text());
            }
        });
    }

    static InetSocketAddress loopback(int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    Socket knock() {
        try {
            Socket socket = new Socket();
            socket.connect(listener.address(), (int) TIMEOUT_MS);
            socket.setSoTimeout((int) TIMEOUT_MS);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Lane connectLane(boolean clear) {
        return client.connect(listener.address(), null, clear, TIMEOUT_MS);
    }

    MessageLink connectLink() {
        return client.connectLink(listener.address(), null, TIMEOUT_MS);
    }

    static <T> T next(BlockingQueue<T> queue) {
        try {
            T next = queue.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            if (next == null) {
                throw new AssertionError("nothing came");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the names of the threads that a transport owns. */
    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("fdt-"))
                .sorted()
                .toList();
    }

    /** Counts sockets and events. The runtime may open another jar at any time. */
    static long openFiles() {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.map(TcpEnds::leadsTo)
                    .filter(target -> target.matches("(socket|anon_inode):.*"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String leadsTo(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    static @Nullable TransferException failureOf(Runnable action) {
        try {
            action.run();
            return null;
        } catch (TransferException e) {
            return e;
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
