package io.fdt.rdma;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends exchange as they connect: how many blocks the peer may fill, their address and their key. The key
 * is only valid for these blocks. 32 bytes: magic, version, number of blocks, bytes of a block, bytes from one block to
 * the next, key, zero, address.
 */
record Hello(int blocks, int blockBytes, int strideBytes, int key, long address) {
    static final int BYTES = 32;
    static final int VERSION = 1;

    private static final int MAGIC = 0xfd524c4e;

    void write(ByteBuffer to) {
        to.putInt(0, MAGIC)
                .putShort(4, (short) VERSION)
                .putShort(6, (short) blocks)
                .putInt(8, blockBytes)
                .putInt(12, strideBytes)
                .putInt(16, key)
                .putInt(20, 0)
                .putLong(24, address);
    }

    /** Whether these are the first bytes of a hello of any version. */
    static boolean isHello(ByteBuffer bytes) {
        return bytes.remaining() >= BYTES && bytes.getInt(0) == MAGIC;
    }

    static int version(ByteBuffer bytes) {
        return bytes.getShort(4) & 0xffff;
    }

    /** Returns null for invalid values, with which an end could not compute the addresses of blocks. */
    static @Nullable Hello read(ByteBuffer bytes) {
        int blocks = bytes.getShort(6) & 0xffff;
        int blockBytes = bytes.getInt(8);
        int strideBytes = bytes.getInt(12);
        boolean sane = blocks >= 2
                && blocks <= RdmaSettings.MAX_BLOCKS
                && blockBytes >= RdmaSettings.MIN_BLOCK_BYTES
                && blockBytes <= RdmaSettings.MAX_BLOCK_BYTES
                && strideBytes >= blockBytes
                && strideBytes <= 2 * blockBytes;
        return sane ? new Hello(blocks, blockBytes, strideBytes, bytes.getInt(16), bytes.getLong(24)) : null;
    }
}
