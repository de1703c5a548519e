package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/** 128 KiB of zeros at a fixed address, for the whole process. */
public final class Zeros {
    public static final int LENGTH_BYTES = 128 * 1024;
    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(LENGTH_BYTES);
    public static final long ADDRESS = Libc.addressOf(MEMORY);

    private Zeros() {}
}
