package io.fdt.core.fuzz;

import io.fdt.core.FailureKind;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** One decoder under fuzzing. Used by one thread at a time. */
public interface FuzzTarget extends AutoCloseable {
    String name();

    /** Valid inputs, as our own encoders make them. Asked for once, before anything else: files are made at that. */
    List<byte[]> corpus();

    /** The kinds of failure that the decoder documents; any other, and any other exception, is a finding. */
    Set<FailureKind> expected();

    MemoryBound bound();

    /**
     * Decodes the input and checks what is always true of a result.
     *
     * @return what became of it, in a few words that stand for all inputs that fare alike
     * @throws AssertionError when something that must hold does not
     */
    String run(byte[] input) throws IOException;

    /** A new input out of a sample; {@code other} is for splices. The arrays are not changed. */
    default byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
        return Mutator.bytes(sample, other, random);
    }

    @Override
    default void close() throws IOException {}

    /**
     * What decoding may allocate on the heap: so much, and so much more a byte of input.
     *
     * @param fixedBytes whatever the input is
     * @param bytesPerByte of the input
     */
    record MemoryBound(long fixedBytes, long bytesPerByte) {
        long of(int inputBytes) {
            return fixedBytes + bytesPerByte * inputBytes;
        }
    }
}
