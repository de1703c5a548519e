package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Opens control channels. */
public interface Links {
    /**
     * Connects a link; blocks until the server's identity is verified or the timeout is over.
     *
     * @throws TransferException CANNOT_CONNECT, REFUSED (wrong identity) or VERSION
     */
    MessageLink connectLink(InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs);

    /** From now on, begins links and lanes to the server with this route, which the server gave; empty for none. */
    default void route(byte[] route) {}
}
