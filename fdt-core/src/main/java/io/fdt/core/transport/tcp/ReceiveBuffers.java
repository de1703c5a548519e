package io.fdt.core.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Where a connection's received bytes go. Netty asks it for a buffer before each read; it asks whoever has the
 * connection at the time: the preamble's reader, which must not take a byte too many, then the link or the lane. The
 * connection's thread only.
 */
final class ReceiveBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
    /** Reads in a row before the loop looks at other work. */
    private static final int MAX_READS = 16;

    private static final int LINK_BYTES = 32 << 10;

    /** Whoever has the connection. */
    interface Source {
        /** A direct buffer with room; the read goes between its writer index and its capacity. */
        ByteBuf receiveBuffer(ByteBufAllocator allocator);
    }

    static Source forLink() {
        return allocator -> allocator.directBuffer(LINK_BYTES);
    }

    /**
     * Thrown where epoll would read though nobody asked for data, which it does when it learns that the peer has ended
     * its stream. The bytes stay in the socket and are read when they are wanted.
     */
    static final class NotNow extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotNow() {
            super("there is no reader now", null, false, false);
        }
    }

    private Source source;

    ReceiveBuffers(Source source) {
        super(MAX_READS);
        this.source = source;
    }

    void source(Source next) {
        this.source = next;
    }

    @Override
    @SuppressWarnings("deprecation") // Handle stands in the interface.
    public Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public int guess() {
                return LINK_BYTES;
            }

            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return source.receiveBuffer(allocator);
            }
        };
    }
}
