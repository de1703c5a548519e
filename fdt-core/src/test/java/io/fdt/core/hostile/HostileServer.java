package io.fdt.core.hostile;

import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Failure;
import io.fdt.core.security.Identity;
import io.fdt.core.security.Secret;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server that admits every client and then does what the test requests. */
final class HostileServer implements Transport.Acceptor, AutoCloseable {
    final byte[] sessionId = new byte[16];
    final List<RawLane> lanes = new CopyOnWriteArrayList<>();
    final Queue<String> garbage = new ConcurrentLinkedQueue<>();

    private static final long PATIENCE_MS = Await.LIMIT_MS;

    private final byte[] secret = Secret.random().bytes();
    private final LinkedBlockingQueue<RawLink> links = new LinkedBlockingQueue<>();
    private final TcpTransport transport;
    private final Transport.Listener listener;

    HostileServer(Identity identity) {
        Arrays.fill(sessionId, (byte) 7);
        transport = TcpTransport.forServer(TcpSettings.DEFAULTS, identity, null);
        listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this);
    }

    int port() {
        return listener.address().getPort();
    }

    /**
     * Accepts the next client up to its request, which must be of this type; a client that leaves earlier is ignored.
     */
    <M extends ControlMessage> RawLink accept(Class<M> request) throws InterruptedException {
        while (true) {
            RawLink link = links.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
            if (link == null) {
                throw new AssertionError("no client came");
            }
            link.admitted();
            link.send(new SessionMessage.Challenge("fdt hostile", new byte[32]));
            // An earlier client may have returned for its session, and leaves again.
            if (link.next(SessionMessage.Authenticate.class) != null && link.next(request) != null) {
                return link;
            }
        }
    }

    /** Accepts the next client like {@link #accept}, and opens the session with these terms. */
    <M extends ControlMessage> RawLink open(Class<M> request, int laneCount, boolean clear)
            throws InterruptedException {
        RawLink link = accept(request);
        link.send(new SessionMessage.Opened(sessionId, secret, laneCount, clear, 0, Checksums.NONE));
        return link;
    }

    @Override
    public void onLink(MessageLink link) {
        links.add(new RawLink(link));
    }

    @Override
    public void onLane(Lane lane) {
        lane.admitted();
        lanes.add(new RawLane(lane));
    }

    @Override
    public void onGarbage(String peer, Failure what) {
        garbage.add(what.text());
    }

    @Override
    public void close() {
        transport.close();
    }
}
