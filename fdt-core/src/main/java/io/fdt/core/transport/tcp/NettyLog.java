package io.fdt.core.transport.tcp;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps Netty from printing stack traces at the operator: whatever matters of what it has to say reaches the caller as
 * a failure. Reports of leaked buffers, which are mistakes of ours, stay audible.
 */
public final class NettyLog {
    /** Held, because a logger that nobody holds forgets its level. */
    private static final Logger NETTY = Logger.getLogger("io.netty");

    private static final Logger LEAKS = Logger.getLogger("io.netty.util.ResourceLeakDetector");

    private NettyLog() {}

    public static void quieten() {
        NETTY.setLevel(Level.OFF);
        LEAKS.setLevel(Level.SEVERE);
    }
}
