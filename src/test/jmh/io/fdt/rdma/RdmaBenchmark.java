package io.fdt.rdma;

import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DeviceQueues.Memory;
import io.fdt.core.transport.DeviceQueues.Pair;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.transport.LaneBenchmark;
import io.fdt.core.transport.LanePlaces;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
 * Posting and polling on a device of this host: blocks of a lane, and single requests of a queue pair. Both ends are in
 * one process. On soft-RoCE only the allocations are meaningful: the time is mostly the kernel's.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RdmaBenchmark extends LaneBenchmark {
    private static final int BATCH = 200;
    private static final int MESSAGE_BYTES = 16;
    private static final int READ_BYTES = 4096;
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** The address of an RDMA device. The default is the address in the lab. */
    @Param("10.77.0.1")
    public String address = "10.77.0.1";

    private @Nullable DeviceQueues near;
    private @Nullable DeviceQueues far;
    private @Nullable Pair sending;
    private @Nullable Pair receiving;
    private @Nullable Memory ours;
    private @Nullable Memory theirs;
    private DeviceQueues.@Nullable Granted granted;

    @Setup
    public void open() throws Exception {
        InetAddress local = InetAddress.getByName(address);
        connect(
                Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE),
                Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE),
                new InetSocketAddress(local, 0),
                true,
                BATCH);
        DeviceQueues here = Rdma.queues(local);
        DeviceQueues there = Rdma.queues(local);
        near = here;
        far = there;
        Pair one = here.pair(QueueKind.RELIABLE, 8, 8, MESSAGE_BYTES);
        Pair other = there.pair(QueueKind.RELIABLE, 8, 8, MESSAGE_BYTES);
        one.connect(other.address());
        other.connect(one.address());
        sending = one;
        receiving = other;
        ours = here.memory(READ_BYTES, false);
        Memory readable = there.memory(READ_BYTES, true);
        theirs = readable;
        granted = here.granted(readable.grant(0, READ_BYTES));
    }

    @TearDown
    public void closeQueues() {
        if (near != null) {
            near.close();
        }
        if (far != null) {
            far.close();
        }
    }

    private static <T> T there(@Nullable T one) {
        if (one == null) {
            throw new IllegalStateException("not connected");
        }
        return one;
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void acquireAndRelease() throws InterruptedException {
        acquireAndReleaseBatch();
    }

    /** Sends a block of 128 KiB to the remote end. The receiver counts and drops it. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void sendAndReceive() throws InterruptedException {
        sendBatch();
    }

    /** Posts a receive request and sends an inline message. Returns when both have completed. */
    @Benchmark
    public int postAndPollMessage() {
        there(receiving).receive(there(theirs), 0, MESSAGE_BYTES, 1);
        there(sending).send(there(ours), 0, MESSAGE_BYTES, 2);
        return completed(there(sending)) + completed(there(receiving));
    }

    /** Reads 4 KiB and returns when the read has completed. */
    @Benchmark
    public int postAndPollRead() {
        there(sending).read(there(ours), 0, READ_BYTES, there(granted), 0, 3);
        return completed(there(sending));
    }

    private static int completed(Pair pair) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (pair.poll() == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("nothing completes");
            }
            Thread.onSpinWait();
        }
        if (pair.failure(0) != null) {
            throw new IllegalStateException(String.valueOf(pair.failure(0)));
        }
        return pair.number(0);
    }
}
