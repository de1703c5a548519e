package io.fdt.core.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection's received bytes go. Netty asks it for a buffer before each read; it asks whoever has the
 * connection at the time: the preamble's reader, which must not take a byte too many, then the link or the lane. The
 * connection's thread only.
 */
final class ReceiveBuffers implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
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
    private int reads;
    private int attempted;
    private int last;
    private @Nullable ChannelConfig config;

    ReceiveBuffers(Source source) {
        this.source = source;
    }

    void source(Source next) {
        this.source = next;
    }

    @Override
    @SuppressWarnings("deprecation") // Handle stands in the interface.
    public Handle newHandle() {
        return this;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
        return source.receiveBuffer(allocator);
    }

    @Override
    public int guess() {
        return LINK_BYTES;
    }

    @Override
    public void reset(ChannelConfig channelConfig) {
        config = channelConfig;
        reads = 0;
        attempted = 0;
        last = 0;
    }

    @Override
    public void incMessagesRead(int count) {
        reads += count;
    }

    @Override
    public void lastBytesRead(int bytes) {
        last = bytes;
    }

    @Override
    public int lastBytesRead() {
        return last;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
        attempted = bytes;
    }

    @Override
    public int attemptedBytesRead() {
        return attempted;
    }

    @Override
    public boolean continueReading() {
        return mayGoOn() && last > 0 && attempted == last;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
        return mayGoOn() && maybeMoreData.get();
    }

    private boolean mayGoOn() {
        return reads < MAX_READS && config != null && config.isAutoRead();
    }

    @Override
    public void readComplete() {}
}
