package io.fdt.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.NativeCode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.openhft.hashing.LongTupleHashFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The native hash agrees with an independent implementation. */
final class Xxh3Test {
    private static final LongTupleHashFunction OTHER = LongTupleHashFunction.xx128();
    private static final int MAX_BYTES = 3 * TreeDigest.LEAF_BYTES;

    private final Random random = new Random(7);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(MAX_BYTES + 64);
    private final long address = Libc.addressOf(memory);

    @BeforeEach
    void fillMemory() {
        byte[] bytes = new byte[memory.capacity()];
        random.nextBytes(bytes);
        memory.put(bytes).clear();
    }

    @Test
    void matchesReferenceForEveryShortLength() {
        for (int length = 0; length < 5000; length++) {
            assertAgreement(random.nextInt(64), length);
        }
    }

    @Test
    void matchesReferenceForLengthsAroundBlockBoundaries() {
        for (int i = 0; i < 300; i++) {
            int length = Math.min(MAX_BYTES, (1 + random.nextInt(MAX_BYTES / 1024)) * 1024 + random.nextInt(131) - 65);
            assertAgreement(random.nextInt(64), Math.max(0, length));
        }
        assertAgreement(0, TreeDigest.LEAF_BYTES);
    }

    private void assertAgreement(int offset, int length) {
        long[] other = OTHER.newResultArray();
        OTHER.hashMemory(address + offset, length, other);
        byte[] expected = ByteBuffer.allocate(20)
                .position(3)
                .putLong(other[1])
                .putLong(other[0])
                .array();
        byte[] array = new byte[length + 1];
        memory.get(offset, array, 0, length);
        for (int level = 0; level <= NativeCode.xxh3BestLevel(); level++) {
            byte[] digest = new byte[20];
            NativeCode.xxh3(level, address + offset, length, digest, 3);
            assertThat(Arrays.toString(digest))
                    .as("%s bytes, level %s", length, level)
                    .isEqualTo(Arrays.toString(expected));
            Arrays.fill(digest, (byte) 0);
            NativeCode.xxh3OfArray(level, array, length, digest, 3);
            assertThat(Arrays.toString(digest))
                    .as("an array of %s bytes, level %s", length, level)
                    .isEqualTo(Arrays.toString(expected));
        }
    }
}
