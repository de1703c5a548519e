package io.fdt.core.nettest.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectContentTest {
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 20);

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 100, 4096, 8192, 8193, 10_000, 1_000_000})
    void valueIsKnownByItsObjectAndVersionOnly(int size) {
        ObjectContent.putValue(bytes, 3, size, 5, 77);
        for (int look = 0; look < 20; look++) {
            assertThat(ObjectContent.isValue(bytes, 3, size, 5, 77)).isTrue();
        }
        assertThat(ObjectContent.isWholeValue(bytes, 3, size, 5, 77)).isTrue();
        if (size >= 7) {
            assertThat(ObjectContent.isValue(bytes, 3, size, 6, 77)).isFalse();
            assertThat(ObjectContent.isValue(bytes, 3, size, 5, 78)).isFalse();
            assertThat(ObjectContent.isValue(bytes, 4, size, 5, 77)).isFalse();
        }
    }

    @Test
    void detectsAnyWrongByteInAShortValue() {
        Random random = new Random(1);
        for (int size : new int[] {1, 100, 8191, 8192}) {
            for (int round = 0; round < 200; round++) {
                int at = random.nextInt(size);
                ObjectContent.putValue(bytes, 0, size, 9, 1);
                bytes.put(at, (byte) (bytes.get(at) ^ 1 << random.nextInt(8)));
                assertThat(ObjectContent.isValue(bytes, 0, size, 9, 1))
                        .as("byte %d of %d", at, size)
                        .isFalse();
            }
        }
    }

    /**
     * Goal: random checks of a long value cover every place. Method: one wrong block of 4 KiB at each place, and many
     * checks.
     */
    @Test
    void sampledChecksDetectAnyWrongBlockOfALongValue() {
        int size = 100_000;
        for (int at = 0; at < size; at += 4096) {
            ObjectContent.putValue(bytes, 0, size, 9, 1);
            for (int i = at; i < Math.min(size, at + 4096); i++) {
                bytes.put(i, (byte) ~bytes.get(i));
            }
            boolean seen = false;
            for (int look = 0; look < 2000 && !seen; look++) {
                seen = !ObjectContent.isValue(bytes, 0, size, 9, 1);
            }
            assertThat(seen).as("at %d", at).isTrue();
        }
    }

    @Test
    void everyObjectHasAKeyOfItsOwn() {
        Set<ByteBuffer> keys = new HashSet<>();
        for (int size : new int[] {100, 1000}) {
            for (int number = 0; number < 1000; number++) {
                ByteBuffer key = ByteBuffer.allocate(30);
                ObjectContent.putKey(key, 0, 30, size, number);
                assertThat(keys.add(key)).isTrue();
            }
        }
    }
}
