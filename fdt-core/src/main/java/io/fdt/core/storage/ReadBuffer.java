package io.fdt.core.storage;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/** Page-aligned memory for reads from a device that bypass the page cache. For one thread at a time. */
public final class ReadBuffer {
    /**
     * The address, offset and length of such a read must be multiples of this; no device in use needs a larger
     * alignment.
     */
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
