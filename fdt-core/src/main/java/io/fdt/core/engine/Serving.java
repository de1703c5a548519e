package io.fdt.core.engine;

import java.net.InetSocketAddress;

/** A listening server, which {@code Fdt.serve} starts. Thread-safe. */
public interface Serving extends AutoCloseable {
    /** Returns the address on which it listens, with the port that it got if any free one was requested. */
    InetSocketAddress address();

    /** Returns the port for lanes over RDMA; 0 for none. */
    int rdmaPort();

    /** Has the keys of the issuers that it trusts fetched now, and their files read. Returns at once. */
    void reload();

    /** Accepts no more connections, and lets running sessions reach a resumable state; returns whether all have. */
    boolean stop(long timeoutMs) throws InterruptedException;

    /** From now on, ends a session soon after its client has closed all connections instead of after its timeout. */
    void endDeserted();

    /** Waits until the server is closed. */
    void await() throws InterruptedException;

    @Override
    void close();
}
