package io.fdt.core.storage;

import java.nio.ByteBuffer;

/** 128 KiB of zeros at a fixed address, for the whole process. */
final class Zeros {
    static final int LENGTH_BYTES = 128 * 1024;
    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(LENGTH_BYTES);
    static final long ADDRESS = Posix.addressOf(MEMORY);

    private Zeros() {}
}
