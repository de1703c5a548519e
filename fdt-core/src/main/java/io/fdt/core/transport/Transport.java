package io.fdt.core.transport;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Creates lanes. One instance serves a whole process and owns the threads of its lanes. Thread-safe. {@link #close}
 * closes every lane, link and listener and ends every thread.
 */
public interface Transport extends AutoCloseable {
    /** The I/O method, for {@code --json} and {@code -v}: {@code epoll} … */
    String name();

    /**
     * Opens one lane; blocks until it is connected (and, with TLS, the server's identity is verified) or the timeout is
     * over.
     *
     * @param localAddress to bind to, or null for the system's choice
     * @param clear no TLS on this lane
     * @throws TransferException CANNOT_CONNECT, REFUSED (wrong identity) or VERSION
     */
    Lane connect(InetSocketAddress server, @Nullable InetSocketAddress localAddress, boolean clear, long timeoutMs);

    /** Listens; the acceptor is called for every lane (and link, if the transport has them). */
    Listener listen(InetSocketAddress address, Acceptor acceptor);

    @Override
    void close();

    interface Listener extends AutoCloseable {
        InetSocketAddress address();

        /** Stops listening; accepted lanes continue. */
        @Override
        void close();
    }

    /** Called on a thread of the transport; must not block. The acceptor owns the lanes and links that it receives. */
    interface Acceptor {
        /** Whether connections from this address are accepted at all. Called before anything is reserved for one. */
        default boolean takesFrom(InetAddress peer) {
            return true;
        }

        void onLane(Lane lane);

        void onLink(MessageLink link);

        /** A peer connected that does not speak this protocol; the connection is already closed. */
        void onGarbage(String peer, Failure why);

        /**
         * A connection for another process of this server, which a route names. Returns true if the acceptor has taken
         * the descriptor. Its first bytes, before those of the process's own protocol, have been read.
         */
        default boolean onRouted(byte[] route, int fd) {
            return false;
        }

        default void onWarning(String text) {}
    }
}
