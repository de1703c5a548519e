package io.fdt.core.digest;

import io.fdt.core.nativecode.NativeCode;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.zip.CRC32C;
import net.openhft.hashing.LongTupleHashFunction;

/**
 * A hash function that writes its result to an array of the caller. Not thread-safe; a call allocates nothing. Results
 * have the byte order in which each hash is usually printed.
 */
abstract class LeafHash {
    static LeafHash of(DigestKind kind) {
        return switch (kind) {
            case NONE -> new None();
            case XXH3_128 -> NativeCode.isLoaded() ? new NativeXxh3() : new JavaXxh3();
            case CRC32C -> new Crc32c();
            case SHA256 -> new OfSha256();
        };
    }

    /**
     * Hashes {@code length} bytes of the direct buffer from {@code position} on. Does not change its position and
     * limit.
     */
    abstract void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset);

    abstract void hash(byte[] bytes, int length, byte[] out, int outOffset);

    private static final class None extends LeafHash {
        @Override
        void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset) {}

        @Override
        void hash(byte[] bytes, int length, byte[] out, int outOffset) {}
    }

    static final class NativeXxh3 extends LeafHash {
        static final int LEVEL = NativeCode.xxh3BestLevel();

        @Override
        void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset) {
            NativeCode.xxh3(LEVEL, address + position, length, out, outOffset);
        }

        @Override
        void hash(byte[] bytes, int length, byte[] out, int outOffset) {
            NativeCode.xxh3OfArray(LEVEL, bytes, length, out, outOffset);
        }
    }

    static final class JavaXxh3 extends LeafHash {
        private static final LongTupleHashFunction XXH3_128 = LongTupleHashFunction.xx128();

        private final long[] result = XXH3_128.newResultArray();

        @Override
        void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset) {
            XXH3_128.hashMemory(address + position, length, result);
            putResult(out, outOffset);
        }

        @Override
        void hash(byte[] bytes, int length, byte[] out, int outOffset) {
            XXH3_128.hashBytes(bytes, 0, length, result);
            putResult(out, outOffset);
        }

        /** Writes the canonical form: the high half first, each half big-endian. */
        private void putResult(byte[] out, int outOffset) {
            putLong(result[1], out, outOffset);
            putLong(result[0], out, outOffset + Long.BYTES);
        }

        private static void putLong(long value, byte[] out, int offset) {
            for (int i = 0; i < Long.BYTES; i++) {
                out[offset + i] = (byte) (value >>> (56 - 8 * i));
            }
        }
    }

    private static final class Crc32c extends LeafHash {
        private final CRC32C crc = new CRC32C();

        @Override
        void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset) {
            crc.reset();
            update(buffer, position, length, crc::update);
            putResult(out, outOffset);
        }

        @Override
        void hash(byte[] bytes, int length, byte[] out, int outOffset) {
            crc.reset();
            crc.update(bytes, 0, length);
            putResult(out, outOffset);
        }

        private void putResult(byte[] out, int outOffset) {
            long value = crc.getValue();
            for (int i = 0; i < Integer.BYTES; i++) {
                out[outOffset + i] = (byte) (value >>> (24 - 8 * i));
            }
        }
    }

    private static final class OfSha256 extends LeafHash {
        private final MessageDigest sha = Sha256.begin();

        @Override
        void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset) {
            update(buffer, position, length, sha::update);
            putResult(out, outOffset);
        }

        @Override
        void hash(byte[] bytes, int length, byte[] out, int outOffset) {
            sha.update(bytes, 0, length);
            putResult(out, outOffset);
        }

        private void putResult(byte[] out, int outOffset) {
            byte[] result = sha.digest();
            System.arraycopy(result, 0, out, outOffset, result.length);
        }
    }

    /** Passes the range to a consumer that reads from position to limit, then restores both. */
    private static void update(
            ByteBuffer buffer, int position, int length, java.util.function.Consumer<ByteBuffer> consumer) {
        int oldPosition = buffer.position();
        int oldLimit = buffer.limit();
        buffer.limit(position + length).position(position);
        try {
            consumer.accept(buffer);
        } finally {
            buffer.limit(oldLimit).position(oldPosition);
        }
    }
}
