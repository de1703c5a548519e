package io.fdt.core.transport;

import io.fdt.core.TransferException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Makes lanes. One instance serves a whole process; it owns the threads of its lanes. Thread-safe.
 * {@link #close} closes every lane, link and listener and ends every thread.
 */
public interface Transport extends AutoCloseable {
    /** What is in use, for {@code --json} and {@code -v}: {@code epoll}, {@code io_uring}, {@code nio} … */
    String name();

    /**
     * Opens one lane; blocks the caller until it is connected (and, with TLS, the server's identity is
     * proven) or the timeout is over.
     *
     * @param localAddress to bind to, or null for the system's choice
     * @param clear no TLS on this lane
     * @throws TransferException CANNOT_CONNECT, REFUSED (wrong identity) or VERSION
     */
    Lane connect(InetSocketAddress server, @Nullable InetSocketAddress localAddress, boolean clear, long timeoutMs);

    /** Listens; the acceptor is called for every lane (and link, where the transport has them). */
    Listener listen(InetSocketAddress address, Acceptor acceptor);

    @Override
    void close();

    interface Listener extends AutoCloseable {
        InetSocketAddress address();

        /** Stops listening; what was accepted lives on. */
        @Override
        void close();
    }

    /** Called on a thread of the transport; must not block. Whoever is given a lane or link owns it. */
    interface Acceptor {
        /** Whether anything may come from there, whoever it is. Asked before anything is reserved for it. */
        default boolean takesFrom(InetAddress peer) {
            return true;
        }

        void onLane(Lane lane);

        void onLink(MessageLink link);

        /** Someone connected who does not speak this protocol; the connection is closed already. */
        void onGarbage(String peer, String what);

        /** Something that the operator should see to. */
        default void onWarning(String text) {}
    }
}
