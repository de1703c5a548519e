package io.fdt.core.transport.tcp;

import io.fdt.core.security.Identity;
import io.fdt.core.transport.LaneBenchmark;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Blocks of a lane over loopback: one that is acquired and released unsent, and one that is sent to the remote end. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BlockBenchmark extends LaneBenchmark {
    private static final int BATCH = 10_000;

    @Param({"true", "false"})
    public boolean clear = true;

    @Setup
    public void connect() throws Exception {
        Identity identity = Identity.create();
        connect(
                TcpTransport.forServer(TcpSettings.DEFAULTS, identity, null),
                TcpTransport.forClient(TcpSettings.DEFAULTS, Set.of(identity.fingerprint()), accepted -> {}),
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0),
                clear,
                BATCH);
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
}
