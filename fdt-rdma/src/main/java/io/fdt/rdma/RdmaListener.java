package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.fdt.core.basic.Addresses;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.transport.EventDescriptor;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A server's address for RDMA. Its thread, {@code fdt-rdma-listener}, answers connections and passes lanes on. Each
 * connection pins memory before its peer is authenticated, so only a few unadmitted ones are permitted: further ones
 * are refused.
 */
final class RdmaListener implements Transport.Listener {
    private static final int BACKLOG = 128;
    private static final long STOP_MS = 5_000;

    /** The limit of connections that are not admitted; each pins some 2 MiB. */
    private static final int MAX_UNADMITTED = 128;

    /** The limit of lanes on this transport, from all clients together. */
    private static final int MAX_LANES = 1024;

    private record Pending(QueuePair pair, Hello peerBlocks, String peer) {}

    private final RdmaTransport transport;
    private final NativeDispatcher natives = Disni.NATIVES;
    private final Transport.Acceptor acceptor;
    private final long channel;
    private final long id;
    private final InetSocketAddress address;
    private final EventDescriptor wakeUp;
    private final Thread thread = Threads.daemon("fdt-rdma-listener", this::run);
    private final AtomicInteger unadmitted = new AtomicInteger();

    /** Connections that have been accepted but are not established. For the thread. */
    private final Map<Long, Pending> pending = new HashMap<>();

    private final SurvivedFailures failures = new SurvivedFailures();
    private volatile boolean closed;

    private RdmaListener(
            RdmaTransport transport,
            long channel,
            long id,
            InetSocketAddress address,
            EventDescriptor wakeUp,
            Transport.Acceptor acceptor) {
        this.transport = transport;
        this.channel = channel;
        this.id = id;
        this.address = address;
        this.wakeUp = wakeUp;
        this.acceptor = acceptor;
    }

    static RdmaListener open(RdmaTransport transport, InetSocketAddress wanted, Transport.Acceptor acceptor)
            throws IOException {
        NativeDispatcher natives = Disni.NATIVES;
        long channel = Disni.handle(natives._createEventChannel(), "event channel");
        long id = 0;
        EventDescriptor wakeUp = null;
        RdmaListener listener = null;
        try {
            id = Disni.handle(natives._createId(channel, Disni.TCP_PORTS), "connection");
            Verbs.setReuseAddress(id);
            RdmaTransport.bind(id, wanted);
            natives._listen(id, BACKLOG);
            wakeUp = new EventDescriptor();
            InetSocketAddress address = new InetSocketAddress(wanted.getAddress(), Verbs.localPort(id));
            listener = new RdmaListener(transport, channel, id, address, wakeUp, acceptor);
            Threads.start(listener.thread);
            return listener;
        } finally {
            if (listener == null) {
                if (wakeUp != null) {
                    wakeUp.close();
                }
                if (id != 0) {
                    natives._destroyCmId(id);
                }
                natives._destroyEventChannel(channel);
            }
        }
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
        transport.forget(this);
    }

    private void run() {
        try (CmEvent event = new CmEvent();
                PrivateData data = new PrivateData()) {
            while (!closed) {
                if (event.takeFrom(channel)) {
                    // A connection that makes this server fail must not end the listener.
                    var unused = failures.survives(() -> onEvent(event, data));
                } else {
                    Verbs.await(0, channel, wakeUp.descriptor(), Integer.MAX_VALUE);
                }
            }
        } finally {
            pending.values().forEach(waiting -> waiting.pair().close());
            natives._destroyCmId(id);
            natives._destroyEventChannel(channel);
            wakeUp.close();
        }
    }

    private void onEvent(CmEvent event, PrivateData data) {
        long connection = event.id();
        switch (event.kind()) {
            case CmEvent.CONNECT_REQUEST -> onRequest(event, connection, data);
            case CmEvent.ESTABLISHED -> {
                Pending waiting = pending.remove(connection);
                if (waiting != null) {
                    handOver(waiting);
                }
            }
            default -> {
                Pending waiting = pending.remove(connection);
                if (waiting != null) {
                    unadmitted.decrementAndGet();
                    waiting.pair().close();
                }
            }
        }
    }

    private void onRequest(CmEvent event, long connection, PrivateData data) {
        InetAddress from = addressOf(connection);
        String peer = Addresses.shown(from == null ? null : new InetSocketAddress(from, Verbs.peerPort(connection)));
        String why =
                from != null && acceptor.takesFrom(from) ? obstacle(event) : "its address is not permitted by --allow";
        if (why != null) {
            refuse(connection, peer, why, data);
            return;
        }
        Hello hello = Hello.read(event.privateData());
        if (hello == null) {
            refuse(connection, peer, "it grants blocks of another kind", data);
            return;
        }
        QueuePair pair;
        try {
            pair = new QueuePair(connection, 0, transport.settings());
        } catch (IOException | RuntimeException noResources) {
            refuse(connection, peer, String.valueOf(noResources.getMessage()), data);
            return;
        }
        try {
            pair.accept(data.bytes, data.address);
            pending.put(connection, new Pending(pair, hello, peer));
            unadmitted.incrementAndGet();
        } catch (IOException | RuntimeException gone) {
            pair.close();
        }
    }

    private @Nullable String obstacle(CmEvent event) {
        if (!Hello.isHello(event.privateData())) {
            return "it is not an fdt lane";
        }
        if (Hello.version(event.privateData()) != Hello.VERSION) {
            return "it opens lanes with version " + Hello.version(event.privateData());
        }
        if (unadmitted.get() >= MAX_UNADMITTED) {
            return "there are " + MAX_UNADMITTED + " connections already that are not admitted";
        }
        return transport.laneCount() >= MAX_LANES ? "there are " + MAX_LANES + " lanes already" : null;
    }

    /** The refusal contains our version. */
    private void refuse(long connection, String peer, String why, PrivateData data) {
        new Hello(0, 0, 0, 0, 0).write(data.bytes);
        Verbs.reject(connection, data.address, Hello.BYTES);
        natives._destroyCmId(connection);
        acceptor.onGarbage(peer, Failure.of(Cause.MALFORMED, why));
    }

    private void handOver(Pending connected) {
        AtomicBoolean counted = new AtomicBoolean(true);
        Runnable known = () -> {
            if (counted.getAndSet(false)) {
                unadmitted.decrementAndGet();
            }
        };
        RdmaLane lane;
        try {
            connected.pair().takeEvents();
            lane = transport.newLane(connected.pair(), connected.peerBlocks(), connected.peer(), known);
        } catch (IOException gone) {
            known.run();
            connected.pair().close();
            return;
        }
        try {
            acceptor.onLane(lane);
        } catch (RuntimeException unwanted) {
            lane.close();
            throw unwanted;
        }
    }

    /** Returns null if the address is not an IP address. */
    private static @Nullable InetAddress addressOf(long connection) {
        byte[] bytes = Verbs.peerAddress(connection);
        if (bytes == null) {
            return null;
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", impossible);
        }
    }
}
