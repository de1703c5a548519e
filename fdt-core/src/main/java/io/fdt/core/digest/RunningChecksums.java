package io.fdt.core.digest;

import io.fdt.core.nativecode.NativeCode;
import java.nio.ByteBuffer;

/** Checksums of bytes that are added in order. Allocates nothing after its creation. Not thread-safe. */
final class RunningChecksums {
    static final int LEVEL = NativeCode.checksumsBestLevel();
    /** Adler-32 of no bytes is one, a CRC is zero. */
    private static final int[] OF_NOTHING = {1, 0, 0};

    private final int bits;
    private final int[] values = OF_NOTHING.clone();

    RunningChecksums(Checksums kinds) {
        this.bits = kinds.bits();
    }

    void reset() {
        System.arraycopy(OF_NOTHING, 0, values, 0, values.length);
    }

    void add(long address, int lengthBytes) {
        if (bits != 0) {
            NativeCode.addToChecksums(LEVEL, bits, address, lengthBytes, values);
        }
    }

    void addZeros(long lengthBytes) {
        for (int place = 0; place < values.length; place++) {
            if (has(place)) {
                values[place] = Checksums.withZeros(Checksums.KINDS.get(place), values[place], lengthBytes);
            }
        }
    }

    /** Adds bytes of which only the values are known, as {@link #write} wrote them from the index on. */
    void addPart(byte[] part, int index, long lengthBytes) {
        int at = index;
        for (int place = 0; place < values.length; place++) {
            if (has(place)) {
                int value = ByteBuffer.wrap(part).getInt(at);
                values[place] = Checksums.combined(Checksums.KINDS.get(place), values[place], value, lengthBytes);
                at += Integer.BYTES;
            }
        }
    }

    private boolean has(int place) {
        return (bits >> place & 1) != 0;
    }

    void write(byte[] out, int index) {
        int at = index;
        for (int place = 0; place < values.length; place++) {
            if (has(place)) {
                for (int shift = 24; shift >= 0; shift -= Byte.SIZE) {
                    out[at++] = (byte) (values[place] >> shift);
                }
            }
        }
    }
}
