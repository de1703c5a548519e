package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.epoll.EpollSocketChannel;
import java.lang.ref.Reference;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Gives a connection over IPv6 a flow label, from its first packet on. The kernel takes the label of TCP only from the
 * address that connect is called with, where Netty has none. So this handler calls connect first, and for Netty's own
 * call the connection is in progress already. A connection is made without the label if the kernel does not grant it.
 * Numbers are those of Linux.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
final class FlowLabel extends ChannelOutboundHandlerAdapter {
    private static final int AF_INET6 = 10;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_FLOWLABEL_MGR = 32;
    private static final int IPV6_FLOWINFO_SEND = 33;
    private static final byte SHARED_BY_ALL = (byte) 255;
    private static final short CREATE = 1;

    /** {@code struct in6_flowlabel_req}: address, label, action (0 is get), share, flags, and 12 bytes that stay 0. */
    private static final int REQUEST_BYTES = 32;
    /** {@code struct sockaddr_in6}: family, port, label, address, scope. */
    private static final int ADDRESS_BYTES = 28;

    private final int label;

    /** @param label of 20 bits, not 0 */
    FlowLabel(int label) {
        this.label = label;
    }

    @Override
    public void connect(
            ChannelHandlerContext context,
            SocketAddress remote,
            @Nullable SocketAddress local,
            ChannelPromise promise) {
        int fd = ((EpollSocketChannel) context.channel()).fd().intValue();
        boolean bound = remote instanceof InetSocketAddress to
                && to.getAddress() instanceof Inet6Address
                && isGranted(fd, to)
                && (local == null || bind(fd, local));
        if (bound) {
            // A failure is Netty's to report: its own call meets it again.
            ByteBuffer address = address((InetSocketAddress) remote, label);
            try {
                Libc.connect(fd, Libc.addressOf(address), ADDRESS_BYTES);
            } finally {
                Reference.reachabilityFence(address);
            }
        }
        context.connect(remote, bound ? null : local, promise);
        context.pipeline().remove(this);
    }

    private boolean isGranted(int fd, InetSocketAddress remote) {
        ByteBuffer request = memory(REQUEST_BYTES)
                .put(remote.getAddress().getAddress())
                .order(ByteOrder.BIG_ENDIAN)
                .putInt(label)
                .order(ByteOrder.nativeOrder())
                .put((byte) 0)
                .put(SHARED_BY_ALL)
                .putShort(CREATE);
        ByteBuffer on = memory(Integer.BYTES).putInt(0, 1);
        try {
            return Libc.setsockopt(fd, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, Libc.addressOf(request), REQUEST_BYTES) >= 0
                    && Libc.setsockopt(fd, IPPROTO_IPV6, IPV6_FLOWINFO_SEND, Libc.addressOf(on), Integer.BYTES) >= 0;
        } finally {
            Reference.reachabilityFence(request);
            Reference.reachabilityFence(on);
        }
    }

    private static boolean bind(int fd, SocketAddress local) {
        if (!(local instanceof InetSocketAddress from) || !(from.getAddress() instanceof Inet6Address)) {
            return false;
        }
        ByteBuffer address = address(from, 0);
        try {
            return Libc.bind(fd, Libc.addressOf(address), ADDRESS_BYTES) >= 0;
        } finally {
            Reference.reachabilityFence(address);
        }
    }

    private static ByteBuffer address(InetSocketAddress place, int label) {
        Inet6Address host = (Inet6Address) place.getAddress();
        return memory(ADDRESS_BYTES)
                .putShort((short) AF_INET6)
                .order(ByteOrder.BIG_ENDIAN)
                .putShort((short) place.getPort())
                .putInt(label)
                .put(host.getAddress())
                .order(ByteOrder.nativeOrder())
                .putInt(host.getScopeId());
    }

    private static ByteBuffer memory(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }
}
