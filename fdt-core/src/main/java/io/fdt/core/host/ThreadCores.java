package io.fdt.core.host;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/** The cores that the calling thread may run on, by the C library's calls, through JNA direct mapping. Nothing is known elsewhere than on Linux. */
public final class ThreadCores {
    private static final int MASK_BYTES = CoreSet.MAX_CORES / Byte.SIZE;

    static {
        if (Platform.isLinux()) {
            Native.register(ThreadCores.class, NativeLibrary.getProcess());
        }
    }

    private ThreadCores() {}

    /** Of the calling thread; empty when the kernel does not say. */
    public static CoreSet allowed() {
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES).order(ByteOrder.nativeOrder());
        if (!Platform.isLinux() || sched_getaffinity(0, MASK_BYTES, Native.getDirectBufferPointer(mask)) < 0) {
            return CoreSet.NONE;
        }
        return CoreSet.of(IntStream.range(0, CoreSet.MAX_CORES)
                .filter(core -> (mask.getLong(core / 64 * 8) >>> core % 64 & 1) != 0)
                .toArray());
    }

    /** Keeps the calling thread to these; false when the kernel refuses, and nothing has changed then. */
    public static boolean keepTo(CoreSet cores) {
        ByteBuffer mask = ByteBuffer.allocateDirect(MASK_BYTES).order(ByteOrder.nativeOrder());
        for (int core : cores.toList()) {
            int word = core / 64 * 8;
            mask.putLong(word, mask.getLong(word) | 1L << core % 64);
        }
        return Platform.isLinux() && sched_setaffinity(0, MASK_BYTES, Native.getDirectBufferPointer(mask)) == 0;
    }

    private static native int sched_getaffinity(int thread, long lengthBytes, Pointer mask);

    private static native int sched_setaffinity(int thread, long lengthBytes, Pointer mask);
}
