package io.fdt.core.transport.tcp;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps Netty from printing stack traces: everything relevant reaches the caller as a failure. Reports of leaked
 * buffers, which are bugs in fdt, are still printed.
 */
public final class NettyLog {
    /** Held, because a logger without references loses its level. */
    private static final Logger NETTY = Logger.getLogger("io.netty");

    private static final Logger LEAKS = Logger.getLogger("io.netty.util.ResourceLeakDetector");

    private NettyLog() {}

    public static void quieten() {
        NETTY.setLevel(Level.OFF);
        LEAKS.setLevel(Level.SEVERE);
    }
}
