package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import java.util.function.IntSupplier;

/** Calls the kernel. Every call returns its result: zero or more, or the negated {@link Errno}. */
final class Kernel {
    /** Otherwise x86-64. */
    static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");

    private Kernel() {}

    /** Calls the kernel by number. */
    static long once(long number, long a, long b, long c, long d, long e) {
        return Libc.result(Libc.syscall(number, a, b, c, d, e));
    }

    /** Calls the kernel by number, and repeats the call if a signal interrupts it. */
    static long call(long number, long a, long b, long c, long d, long e) {
        while (true) {
            long result = once(number, a, b, c, d, e);
            if (result != -Errno.EINTR) {
                return result;
            }
        }
    }

    /** Calls a function of the C library, and repeats the call if a signal interrupts it. */
    static int uninterrupted(IntSupplier call) {
        int result;
        do {
            result = Libc.result(call.getAsInt());
        } while (result == -Errno.EINTR);
        return result;
    }
}
