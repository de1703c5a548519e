package io.fdt.core.transport;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A real lane whose operations on blocks are measured in batches on its thread. The gc profiler counts allocations of
 * the threads of both ends.
 */
@State(Scope.Benchmark)
public abstract class LaneBenchmark {
    private static final long TIMEOUT_MS = 60_000;

    private final LinkedBlockingQueue<Lane> accepted = new LinkedBlockingQueue<>();
    private final Semaphore done = new Semaphore(0);
    private @Nullable Transport server;
    private @Nullable Transport client;
    private @Nullable Sender sender;

    /** Connects a lane during the setup of the benchmark. */
    protected final void connect(
            Transport listening, Transport connecting, InetSocketAddress address, boolean clear, int batch)
            throws InterruptedException {
        server = listening;
        client = connecting;
        Transport.Listener listener = listening.listen(address, new LaneAcceptor());
        Lane out = connecting.connect(listener.address(), null, clear, TIMEOUT_MS);
        Lane in = accepted.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        if (in == null) {
            throw new IllegalStateException("the lane never came");
        }
        in.start(new Receiver(in, batch));
        sender = new Sender(out, batch);
        out.start(sender);
    }

    @TearDown
    public final void close() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** Acquires a batch of blocks and releases them unsent. */
    protected final void acquireAndReleaseBatch() throws InterruptedException {
        run(sender().acquireAndRelease);
    }

    /** Sends a batch of blocks to the remote end. The receiver counts and drops them. */
    protected final void sendBatch() throws InterruptedException {
        run(sender().send);
    }

    private void run(Runnable batch) throws InterruptedException {
        sender().lane.execute(batch);
        if (!done.tryAcquire(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("a batch took longer than " + TIMEOUT_MS + " ms");
        }
    }

    private Sender sender() {
        if (sender == null) {
            throw new IllegalStateException("not connected");
        }
        return sender;
    }

    private final class Sender implements LaneHandler {
        final Lane lane;
        final int batch;
        final Runnable acquireAndRelease = this::acquireAndReleaseAll;
        final Runnable send = this::startBatch;
        private int left;

        Sender(Lane lane, int batch) {
            this.lane = lane;
            this.batch = batch;
        }

        private void acquireAndReleaseAll() {
            for (int index = 0; index < batch; index++) {
                Block block = lane.acquire();
                if (block == null) {
                    throw new IllegalStateException("no block is free though none is used");
                }
                block.release();
            }
            done.release();
        }

        private void startBatch() {
            left = batch;
            onSendable();
        }

        @Override
        public void onSendable() {
            while (left > 0) {
                Block block = lane.acquire();
                if (block == null) {
                    return;
                }
                block.buffer().position(0).limit(lane.blockBytes());
                lane.send(block);
                left--;
            }
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            throw new IllegalStateException("nothing comes back");
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    private final class Receiver implements LaneHandler {
        private final Lane lane;
        private final int batch;
        private int received;

        Receiver(Lane lane, int batch) {
            this.lane = lane;
            this.batch = batch;
        }

        @Override
        public int wantedBytes() {
            return lane.blockBytes();
        }

        @Override
        public void onReceived(Block block) {
            block.buffer().position(block.buffer().position() + lane.blockBytes());
            received++;
            if (received == batch) {
                received = 0;
                done.release();
            }
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    private final class LaneAcceptor implements Transport.Acceptor {
        @Override
        public void onLane(Lane lane) {
            accepted.add(lane);
        }

        @Override
        public void onLink(MessageLink link) {
            link.close();
        }

        @Override
        public void onGarbage(String peer, Failure why) {
            throw new IllegalStateException("garbage from " + peer + ": " + why.text());
        }
    }
}
