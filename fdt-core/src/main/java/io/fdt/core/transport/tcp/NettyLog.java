package io.fdt.core.transport.tcp;

import io.netty.util.internal.logging.AbstractInternalLogger;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.function.Consumer;

/**
 * Keeps Netty from printing stack traces: everything relevant reaches the caller as a failure. Reports of leaked
 * buffers, which are bugs in fdt, are still printed. Java's own logging is loaded only for such a report, because its
 * configuration takes longer than a short copy's handshake. So does a proxy in place of the many methods below, of
 * which Netty has no silent implementation.
 */
final class NettyLog extends InternalLoggerFactory {
    private static final String LEAKS = "io.netty.util.ResourceLeakDetector";

    private final Consumer<String> beginning;

    private NettyLog(Consumer<String> beginning) {
        this.beginning = beginning;
    }

    /** @param beginning called with the name of each class of Netty that has a log, when its initialization begins */
    static void quieten(Consumer<String> beginning) {
        InternalLoggerFactory.setDefaultFactory(new NettyLog(beginning));
    }

    @Override
    public InternalLogger newInstance(String name) {
        beginning.accept(name);
        return new Quiet(name);
    }

    /** Prints errors of the leak detector and nothing else. */
    private static final class Quiet extends AbstractInternalLogger {
        private static final long serialVersionUID = 1L;

        Quiet(String name) {
            super(name);
        }

        @Override
        public boolean isErrorEnabled() {
            return name().equals(LEAKS);
        }

        private InternalLogger printing() {
            return ((JdkLoggerFactory) JdkLoggerFactory.INSTANCE).newInstance(name());
        }

        @Override
        public void error(String message) {
            if (isErrorEnabled()) {
                printing().error(message);
            }
        }

        @Override
        public void error(String format, Object argument) {
            if (isErrorEnabled()) {
                printing().error(format, argument);
            }
        }

        @Override
        public void error(String format, Object first, Object second) {
            if (isErrorEnabled()) {
                printing().error(format, first, second);
            }
        }

        @Override
        public void error(String format, Object... arguments) {
            if (isErrorEnabled()) {
                printing().error(format, arguments);
            }
        }

        @Override
        public void error(String message, Throwable failure) {
            if (isErrorEnabled()) {
                printing().error(message, failure);
            }
        }

        @Override
        public boolean isWarnEnabled() {
            return false;
        }

        @Override
        public void warn(String message) {}

        @Override
        public void warn(String format, Object argument) {}

        @Override
        public void warn(String format, Object first, Object second) {}

        @Override
        public void warn(String format, Object... arguments) {}

        @Override
        public void warn(String message, Throwable failure) {}

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public void info(String message) {}

        @Override
        public void info(String format, Object argument) {}

        @Override
        public void info(String format, Object first, Object second) {}

        @Override
        public void info(String format, Object... arguments) {}

        @Override
        public void info(String message, Throwable failure) {}

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public void debug(String message) {}

        @Override
        public void debug(String format, Object argument) {}

        @Override
        public void debug(String format, Object first, Object second) {}

        @Override
        public void debug(String format, Object... arguments) {}

        @Override
        public void debug(String message, Throwable failure) {}

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public void trace(String message) {}

        @Override
        public void trace(String format, Object argument) {}

        @Override
        public void trace(String format, Object first, Object second) {}

        @Override
        public void trace(String format, Object... arguments) {}

        @Override
        public void trace(String message, Throwable failure) {}
    }
}
