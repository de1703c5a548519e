package io.fdt.core.digest;

import io.fdt.core.nativecode.NativeCode;
import java.nio.ByteBuffer;

/**
 * A hash function that writes its result to an array of the caller. Not thread-safe. Results have the byte order in
 * which each hash is usually printed.
 */
abstract class LeafHash {
    static LeafHash of(DigestKind kind) {
        return switch (kind) {
            case NONE -> new Bytewise(new FileHash.Running(bytes -> {}, () -> new byte[0]));
            case XXH3_128 -> new Xxh3();
            case CRC32C -> new Bytewise(FileHash.CRC32C.begin());
            case SHA256 -> new Bytewise(FileHash.SHA256.begin());
        };
    }

    /**
     * Hashes {@code length} bytes of the direct buffer from {@code position} on. Does not change its position and
     * limit.
     */
    abstract void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset);

    abstract void hash(byte[] bytes, int length, byte[] out, int outOffset);

    static final class Xxh3 extends LeafHash {
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

    /** Applies a file hash to a leaf. */
    private static final class Bytewise extends LeafHash {
        private final FileHash.Running hash;

        Bytewise(FileHash.Running hash) {
            this.hash = hash;
        }

        @Override
        void hash(ByteBuffer buffer, long address, int position, int length, byte[] out, int outOffset) {
            hash.update().accept(buffer.duplicate().limit(position + length).position(position));
            byte[] result = hash.finish().get();
            System.arraycopy(result, 0, out, outOffset, result.length);
        }

        @Override
        void hash(byte[] bytes, int length, byte[] out, int outOffset) {
            hash(ByteBuffer.wrap(bytes), 0, 0, length, out, outOffset);
        }
    }
}
