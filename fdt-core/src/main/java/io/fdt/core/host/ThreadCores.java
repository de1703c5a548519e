package io.fdt.core.host;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The cores that the calling thread may run on, by calls of the C library; only available on Linux. */
public final class ThreadCores {
    private static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");
    private static final int MASK_BYTES = CoreSet.MAX_CORES / Byte.SIZE;

    private ThreadCores() {}

    /** Returns the cores that the calling thread may run on; empty if unknown. */
    public static CoreSet allowed() {
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES).order(ByteOrder.nativeOrder());
        if (!LINUX || Libc.sched_getaffinity(0, MASK_BYTES, Libc.addressOf(mask)) < 0) {
            return CoreSet.NONE;
        }
        return CoreSet.of(mask.asLongBuffer());
    }

    /** Restricts the calling thread to these cores; returns false, and changes nothing, if the kernel refuses. */
    public static boolean keepTo(CoreSet cores) {
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES).order(ByteOrder.nativeOrder());
        mask.asLongBuffer().put(cores.toWords());
        return LINUX && Libc.sched_setaffinity(0, MASK_BYTES, Libc.addressOf(mask)) == 0;
    }
}
