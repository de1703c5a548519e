package io.fdt.core.wire;

import io.fdt.core.digest.DigestKind;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Header and trailer of a chunk's frame, as the lanes at both ends process them. An operation is one frame. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FrameBenchmark {
    private static final long SESSION_TAG = 0x0123_4567_89AB_CDEFL;
    private static final int CHUNK_BYTES = 8 << 20;

    private final ChunkHeader header = new ChunkHeader();
    private final ChunkTrailer trailer = new ChunkTrailer(DigestKind.XXH3_128);
    private final ByteBuffer frame = ByteBuffer.allocateDirect(1024);
    private long offset;

    /** Ensures that the reader has a frame, whichever benchmark runs first. */
    @Setup
    public void writeOnce() {
        write();
    }

    @Benchmark
    public int write() {
        offset += CHUNK_BYTES;
        frame.clear();
        header.set(SESSION_TAG, 7, 0, offset, CHUNK_BYTES, ChunkHeader.fullMap(CHUNK_BYTES));
        header.write(frame);
        trailer.setStatus(ChunkTrailer.Status.SOUND);
        trailer.write(frame);
        return frame.position();
    }

    @Benchmark
    public boolean read() {
        frame.position(0);
        String problem = header.read(frame, SESSION_TAG);
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        return trailer.read(frame);
    }
}
