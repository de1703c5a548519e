package io.fdt.core.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * The buffers for a connection's received bytes. Netty requests one before each read; it comes from the present owner
 * of the connection: the reader of the preamble, which must not read a byte too many, then the link or the lane. For
 * the connection's thread only.
 */
final class ReceiveBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
    /** Consecutive reads before the loop does other work. */
    private static final int MAX_READS = 16;

    private static final int LINK_BYTES = 32 << 10;

    /** The present owner of the connection. */
    interface Source {
        /** A direct buffer with free space; the read fills it between its writer index and its capacity. */
        ByteBuf receiveBuffer(ByteBufAllocator allocator);
    }

    static Source forLink() {
        return allocator -> allocator.directBuffer(LINK_BYTES);
    }

    /**
     * Thrown if epoll would read without a request for data, which it does when the peer has ended its stream. The
     * bytes stay in the socket and are read when requested.
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
    @SuppressWarnings("deprecation") // Handle is part of the interface.
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
