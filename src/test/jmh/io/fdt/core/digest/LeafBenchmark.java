package io.fdt.core.digest;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
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

/**
 * The hash of one leaf in direct memory, as a lane computes it. An operation is one leaf of a whole chunk of 64 leaves.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LeafBenchmark {
    private static final int LEAVES = 64;

    @Param({"XXH3_128", "CRC32C", "SHA256"})
    public DigestKind kind = DigestKind.XXH3_128;

    private ByteBuffer leaf = ByteBuffer.allocate(0);
    private long address;
    private TreeDigest tree = new TreeDigest(DigestKind.NONE);
    private byte[] root = new byte[0];

    @Setup
    public void fill() {
        leaf = ByteBuffer.allocateDirect(TreeDigest.LEAF_BYTES);
        SplittableRandom random = new SplittableRandom(1);
        while (leaf.hasRemaining()) {
            leaf.putLong(random.nextLong());
        }
        leaf.flip();
        address = Libc.addressOf(leaf);
        tree = new TreeDigest(kind);
        root = new byte[kind.lengthBytes()];
    }

    @Benchmark
    @OperationsPerInvocation(LEAVES)
    public byte[] leafOfAChunk() {
        tree.reset();
        for (int index = 0; index < LEAVES; index++) {
            tree.addLeaf(leaf, address, 0, TreeDigest.LEAF_BYTES);
        }
        tree.finish(root);
        return root;
    }
}
