package io.fdt.core.fuzz;

import io.fdt.core.failure.FailureKind;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** One decoder under fuzzing. Used by one thread at a time. */
public interface FuzzTarget extends AutoCloseable {
    String name();

    /**
     * Returns valid inputs, made by our own encoders. Called once, before all other methods: it creates the target's
     * files.
     */
    List<byte[]> corpus();

    /** Returns the failure kinds that the decoder documents; any other kind, and any other exception, is a finding. */
    Set<FailureKind> expected();

    MemoryBound bound();

    /**
     * Decodes the input and checks everything that must hold for a result.
     *
     * @return a short description of the outcome, the same for all inputs with the same outcome
     * @throws AssertionError if something that must hold does not
     */
    String run(byte[] input) throws IOException;

    /** Returns a new input made from a sample; {@code other} is for splices. The arrays are not changed. */
    default byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
        return Mutator.bytes(sample, other, random);
    }

    @Override
    default void close() throws IOException {}

    /**
     * The heap memory that decoding may allocate.
     *
     * @param fixedBytes independent of the input
     * @param bytesPerByte for each byte of input
     */
    record MemoryBound(long fixedBytes, long bytesPerByte) {
        long of(int inputBytes) {
            return fixedBytes + bytesPerByte * inputBytes;
        }
    }
}
