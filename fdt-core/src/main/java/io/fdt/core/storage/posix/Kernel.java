package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import java.util.function.IntSupplier;

/** How the kernel is called. Every call returns what the kernel returns: zero or more, or the negated {@link Errno}. */
final class Kernel {
    /** Otherwise x86-64. */
    static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");

    private Kernel() {}

    /** A call of the kernel by its number. */
    static long once(long number, long a, long b, long c, long d, long e) {
        return Libc.result(Libc.syscall(number, a, b, c, d, e));
    }

    /** The same, again where a signal has interrupted it. */
    static long call(long number, long a, long b, long c, long d, long e) {
        while (true) {
            long result = once(number, a, b, c, d, e);
            if (result != -Errno.EINTR) {
                return result;
            }
        }
    }

    /** A function of the C library, again where a signal has interrupted it. */
    static int uninterrupted(IntSupplier call) {
        int result;
        do {
            result = Libc.result(call.getAsInt());
        } while (result == -Errno.EINTR);
        return result;
    }
}
