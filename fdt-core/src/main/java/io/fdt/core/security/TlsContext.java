package io.fdt.core.security;

import io.netty.buffer.ByteBufAllocator;

/** What all connections of a client to one server, or of a server, have in common. For any thread. */
public interface TlsContext {
    /** For a connection that is about to begin. */
    Tls newTls(ByteBufAllocator allocator);
}
