package io.fdt.core.transport.tcp;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps Netty from printing stack traces: everything relevant reaches the caller as a failure. Reports of leaked
 * buffers, which are bugs in fdt, are still printed.
 */
final class NettyLog extends JdkLoggerFactory {
    /** Held, because a logger without references loses its level. */
    private static final Logger NETTY = Logger.getLogger("io.netty");

    private static final Logger LEAKS = Logger.getLogger("io.netty.util.ResourceLeakDetector");

    private final Consumer<String> beginning;

    @SuppressWarnings("deprecation") // In favour of an instance that nobody can extend.
    private NettyLog(Consumer<String> beginning) {
        this.beginning = beginning;
    }

    /** @param beginning called with the name of each class of Netty that has a log, when its initialization begins */
    static void quieten(Consumer<String> beginning) {
        NETTY.setLevel(Level.OFF);
        LEAKS.setLevel(Level.SEVERE);
        InternalLoggerFactory.setDefaultFactory(new NettyLog(beginning));
    }

    @Override
    public InternalLogger newInstance(String name) {
        beginning.accept(name);
        return super.newInstance(name);
    }
}
