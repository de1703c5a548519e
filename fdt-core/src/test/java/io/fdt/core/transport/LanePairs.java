package io.fdt.core.transport;

import io.fdt.core.failure.Failure;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;

/** Lanes with both ends in one test, over a network that runs in steps. */
public final class LanePairs implements AutoCloseable {
    private static final int BLOCKS = 3;
    private static final long TIMEOUT_MS = 30_000;

    private final MemoryNetwork network;
    private final LinkTransport transport;
    private final Queue<Lane> accepted = new ArrayDeque<>();
    private final Transport.Listener listener;

    /** The two ends of a lane that has not started. */
    public record Pair(Lane near, Lane far) {}

    public LanePairs(MemoryNetwork network, int blockBytes) {
        this.network = network;
        transport = network.newTransport(blockBytes, BLOCKS);
        listener = transport.listen(new InetSocketAddress("localhost", 0), new Transport.Acceptor() {
            @Override
            public void onLane(Lane lane) {
                accepted.add(lane);
            }

            @Override
            public void onLink(MessageLink link) {
                throw new AssertionError("nobody opens a link");
            }

            @Override
            public void onGarbage(String peer, Failure what) {
                throw new AssertionError(what);
            }
        });
    }

    public Pair open() {
        InetSocketAddress server =
                new InetSocketAddress("localhost", listener.address().getPort());
        Lane near = transport.connect(server, null, true, TIMEOUT_MS);
        return new Pair(near, accepted.remove());
    }

    /** Runs what a session has posted and what the lanes have to do until neither is left. */
    public void settle(Runnable posted) {
        do {
            posted.run();
        } while (runLanes());
    }

    private boolean runLanes() {
        boolean moved = false;
        while (network.step()) {
            moved = true;
        }
        return moved;
    }

    /** Closes the lanes, which release their files. */
    @Override
    public void close() {
        transport.close();
        runLanes();
    }
}
