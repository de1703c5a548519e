package io.fdt.core.budget;

import io.fdt.core.nativecode.Libc;

/** The priority of threads that others are to run before: lanes, links and the acceptor. */
final class LowPriority {
    private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
    private static final long SYS_SETPRIORITY = ARM ? 140 : 141;
    private static final long SYS_GETPRIORITY = ARM ? 141 : 140;
    private static final long PRIO_PROCESS = 0;
    private static final long CALLING_THREAD = 0;
    private static final long NICER = 10;
    private static final long NICEST = 19;

    private LowPriority() {}

    /** Where the kernel does not permit that, the thread keeps its priority. */
    static void take() {
        // The kernel returns 20 minus the nice value, so that no result is negative.
        long ofProcess = 20
                - Libc.syscall(
                        SYS_GETPRIORITY, PRIO_PROCESS, ProcessHandle.current().pid(), 0, 0, 0);
        long nice = Math.min(NICEST, ofProcess + NICER);
        var unused = Libc.syscall(SYS_SETPRIORITY, PRIO_PROCESS, CALLING_THREAD, nice, 0, 0);
    }
}
