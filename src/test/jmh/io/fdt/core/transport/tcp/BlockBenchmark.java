package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.security.Identity;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Blocks of a real lane over loopback: one that is taken and given back unsent, and one that goes to the far end. The gc
 * profiler counts what the lanes' threads allocate, too.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BlockBenchmark {
    private static final int BATCH = 10_000;
    private static final long TIMEOUT_MS = 20_000;

    @Param({"true", "false"})
    public boolean clear = true;

    private final LinkedBlockingQueue<Lane> accepted = new LinkedBlockingQueue<>();
    private final Semaphore done = new Semaphore(0);
    private @Nullable TcpTransport server;
    private @Nullable TcpTransport client;
    private @Nullable Sender sender;

    @Setup
    public void connect() throws Exception {
        Identity identity = Identity.create();
        server = TcpTransport.forServer(TcpSettings.DEFAULTS, identity);
        client = TcpTransport.forClient(TcpSettings.DEFAULTS, identity.fingerprint());
        Transport.Listener listener = server.listen(
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), new Door());
        Lane out = client.connect(listener.address(), null, clear, TIMEOUT_MS);
        Lane in = accepted.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        if (in == null) {
            throw new IllegalStateException("the lane never came");
        }
        in.start(new Receiver(in));
        sender = new Sender(out);
        out.start(sender);
    }

    @TearDown
    public void close() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void acquireAndRelease() throws InterruptedException {
        run(sender().acquireAndRelease);
    }

    /** A block of 128 KiB to the far end; its receiver counts it and drops it. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void sendAndReceive() throws InterruptedException {
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
        final Runnable acquireAndRelease = this::acquireAndReleaseBatch;
        final Runnable send = this::startBatch;
        private int left;

        Sender(Lane lane) {
            this.lane = lane;
        }

        private void acquireAndReleaseBatch() {
            for (int index = 0; index < BATCH; index++) {
                Block block = lane.acquire();
                if (block == null) {
                    throw new IllegalStateException("no block is free though none is used");
                }
                block.release();
            }
            done.release();
        }

        private void startBatch() {
            left = BATCH;
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
        private int received;

        Receiver(Lane lane) {
            this.lane = lane;
        }

        @Override
        public int wantedBytes() {
            return lane.blockBytes();
        }

        @Override
        public void onReceived(Block block) {
            block.buffer().position(block.buffer().position() + lane.blockBytes());
            received++;
            if (received == BATCH) {
                received = 0;
                done.release();
            }
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    private final class Door implements Transport.Acceptor {
        @Override
        public void onLane(Lane lane) {
            accepted.add(lane);
        }

        @Override
        public void onLink(MessageLink link) {
            link.close();
        }

        @Override
        public void onGarbage(String peer, String what) {
            throw new IllegalStateException("garbage from " + peer + ": " + what);
        }
    }
}
