package io.fdt.core.storage;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/**
 * Memory that a device can be read into without the page cache between: aligned in its address. One thread at a time.
 */
public final class ReadBuffer {
    /** What the address, offset and length of such a read are multiples of; no device in use asks for more. */
    public static final int ALIGN_BYTES = 4096;

    private final ByteBuffer bytes;
    private final long address;

    /** @param lengthBytes a multiple of {@link #ALIGN_BYTES} */
    public ReadBuffer(int lengthBytes) {
        this.bytes = ByteBuffer.allocateDirect(lengthBytes + ALIGN_BYTES).alignedSlice(ALIGN_BYTES);
        this.address = Libc.addressOf(bytes);
    }

    public ByteBuffer bytes() {
        return bytes;
    }

    public long address() {
        return address;
    }

    public static int aligned(int lengthBytes) {
        return (lengthBytes + ALIGN_BYTES - 1) & -ALIGN_BYTES;
    }
}
