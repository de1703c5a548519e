package io.fdt.core.security;

import io.netty.buffer.ByteBufAllocator;

/** What all connections of a server, or of a client to one server, share. Thread-safe. */
public interface TlsContext {
    /** Returns TLS for a new connection. */
    Tls newTls(ByteBufAllocator allocator);
}
