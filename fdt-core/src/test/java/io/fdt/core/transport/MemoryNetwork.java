package io.fdt.core.transport;

import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A network in memory, for tests of code that works over a {@link Transport}. A seed determines where it splits the
 * bytes of a lane. With threads it behaves like a real network. In steps, the test's thread runs every lane and link
 * itself, in an order that the seed determines, under the network's own clock, and one seed always gives the same run.
 */
public final class MemoryNetwork {
    private static final int FIRST_PORT = 40_000;

    /** What happens to the data of lanes on its way. */
    public interface Wire {
        /** Changes nothing. */
        Wire PERFECT = (connection, toServer, offset, data) -> data.remaining();

        /**
         * Sees each piece of data, and may change it.
         *
         * @param connection the number of the lane's connection, counted from 0
         * @param offset of this data among all that passed in this direction
         * @return how much of it arrives; after less than all, the connection is reset
         */
        int pass(int connection, boolean toServer, long offset, ByteBuffer data);
    }

    final MemoryWorkers workers;
    private final SplittableRandom random;
    private final Map<Integer, Transport.Acceptor> listening = new ConcurrentHashMap<>();
    private final AtomicInteger nextPort = new AtomicInteger(FIRST_PORT);
    private final AtomicInteger nextLane = new AtomicInteger();
    private final AtomicInteger nextConnection = new AtomicInteger();
    private volatile Wire wire = Wire.PERFECT;

    private MemoryNetwork(MemoryWorkers workers, long seed) {
        this.workers = workers;
        this.random = new SplittableRandom(seed);
    }

    public static MemoryNetwork withThreads(long seed) {
        return new MemoryNetwork(new MemoryWorkers.Threads(), seed);
    }

    public static MemoryNetwork inSteps(long seed) {
        return new MemoryNetwork(new MemoryWorkers.Steps(seed), seed);
    }

    /** What happens to lanes that are opened from now on. */
    public void setWire(Wire value) {
        wire = value;
    }

    /** Returns the clock of a network that runs in steps. */
    public Clock clock() {
        return steps();
    }

    /** Runs one task of a network that runs in steps; returns false if there is none. */
    public boolean step() {
        return steps().step();
    }

    /** Runs a network that runs in steps until the condition holds; fails if nothing is left to do before that. */
    public void runUntil(String what, BooleanSupplier condition) {
        steps().runUntil(what, condition);
    }

    /** Lets time pass on a network that runs in steps, whatever is left to do. */
    public void pass(long ms) {
        steps().pass(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    /** Waits until so many threads sleep by the clock of a network that runs in steps, which runs them from then on. */
    public void awaitSleepers(int count) {
        steps().awaitSleepers(count);
    }

    /** The threads that sleep by the clock of a network that runs in steps run as they like, to their ends. */
    public void letGo() {
        steps().letGo();
    }

    private MemoryWorkers.Steps steps() {
        return (MemoryWorkers.Steps) workers;
    }

    /** Creates the transport of one process on this network. */
    public LinkTransport newTransport(int blockBytes, int blocks) {
        return new Node(blockBytes, blocks);
    }

    private synchronized SplittableRandom newRandom() {
        return random.split();
    }

    private static TransferException nobody(InetSocketAddress server) {
        return Cause.CANNOT_CONNECT.failure(
                "cannot connect to " + server.getHostString() + ":" + server.getPort() + ": nobody listens there");
    }

    private final class Node implements LinkTransport {
        private final int blockBytes;
        private final int blocks;
        private final MemoryWorkers.Worker control = workers.newWorker("fdt-control");
        private final List<MemoryLane> lanes = new ArrayList<>();
        private final List<MemoryLink> links = new ArrayList<>();
        private final List<Listener> listeners = new ArrayList<>();
        private boolean closed;

        Node(int blockBytes, int blocks) {
            this.blockBytes = blockBytes;
            this.blocks = blocks;
        }

        @Override
        public String name() {
            return "memory";
        }

        @Override
        public Lane connect(
                InetSocketAddress server, @Nullable InetSocketAddress localAddress, boolean clear, long timeoutMs) {
            requireOpen();
            Transport.Acceptor joining = acceptor(server);
            MemoryLane here = newLane(server.getHostString() + ":" + server.getPort());
            here.connectAs(nextConnection.getAndIncrement(), wire);
            joining.onLane(here);
            return here;
        }

        @Override
        public MessageLink connectLink(
                InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs) {
            requireOpen();
            Transport.Acceptor joining = acceptor(server);
            MemoryLink here = newLink(server.getHostString() + ":" + server.getPort());
            joining.onLink(here);
            return here;
        }

        MemoryLink newLink(String peer) {
            MemoryLink link = new MemoryLink(control, peer);
            boolean late;
            synchronized (this) {
                links.add(link);
                late = closed;
            }
            if (late) {
                link.abort(closedHere());
            }
            return link;
        }

        private Transport.Acceptor acceptor(InetSocketAddress server) {
            Transport.Acceptor acceptor = listening.get(server.getPort());
            if (acceptor == null) {
                throw nobody(server);
            }
            return acceptor;
        }

        MemoryLane newLane(String peer) {
            MemoryLane lane = new MemoryLane(
                    workers, "fdt-lane-" + nextLane.getAndIncrement(), newRandom(), blockBytes, blocks, peer);
            boolean late;
            synchronized (this) {
                lanes.add(lane);
                late = closed;
            }
            if (late) {
                lane.abort(closedHere());
            }
            return lane;
        }

        @Override
        public Listener listen(InetSocketAddress address, Acceptor acceptor) {
            requireOpen();
            int port = address.getPort() == 0 ? nextPort.getAndIncrement() : address.getPort();
            listening.put(port, new Joining(acceptor, this));
            Listener listener = new Listener() {
                @Override
                public InetSocketAddress address() {
                    return InetSocketAddress.createUnresolved("memory", port);
                }

                @Override
                public void close() {
                    listening.remove(port);
                }
            };
            synchronized (this) {
                listeners.add(listener);
            }
            return listener;
        }

        @Override
        public void close() {
            List<Listener> ownListeners;
            List<MemoryLink> ownLinks;
            List<MemoryLane> ownLanes;
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                ownListeners = List.copyOf(listeners);
                ownLinks = List.copyOf(links);
                ownLanes = List.copyOf(lanes);
            }
            ownListeners.forEach(Listener::close);
            ownLinks.forEach(link -> link.abort(closedHere()));
            ownLanes.forEach(lane -> lane.abortUnlessClosing(closedHere()));
            control.end();
            ownLanes.forEach(MemoryLane::awaitEnd);
            control.awaitEnd();
        }

        private static TransferException closedHere() {
            return Cause.INTERRUPTED.failure("closed at this end");
        }

        private synchronized void requireOpen() {
            if (closed) {
                throw new IllegalStateException("the transport has been closed");
            }
        }
    }

    /** An acceptor that creates the remote end of a connection in the listening node. */
    private record Joining(Transport.Acceptor acceptor, Node node) implements Transport.Acceptor {
        @Override
        public void onLane(Lane client) {
            MemoryLane far = node.newLane("memory:client");
            far.join((MemoryLane) client);
            acceptor.onLane(far);
        }

        @Override
        public void onLink(MessageLink client) {
            MemoryLink far = node.newLink("memory:client");
            far.join((MemoryLink) client);
            acceptor.onLink(far);
        }

        @Override
        public void onGarbage(String peer, Failure what) {
            acceptor.onGarbage(peer, what);
        }
    }
}
