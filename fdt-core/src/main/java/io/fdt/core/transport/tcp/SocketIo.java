package io.fdt.core.transport.tcp;

import io.fdt.core.failure.Cause;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import org.jspecify.annotations.Nullable;

/** Creates the sockets of a transport and sets their options. */
final class SocketIo {
    private static final int KEEPALIVE_IDLE_SECONDS = 30;
    private static final int KEEPALIVE_INTERVAL_SECONDS = 10;
    private static final int KEEPALIVE_COUNT = 3;

    /**
     * How long sent data may stay unacknowledged, or the peer's window closed. Keepalive does not check a connection
     * with data in flight, and the kernel's own timeout is a quarter of an hour. Longer than any acceptable pause of a
     * disk.
     */
    private static final int USER_TIMEOUT_MS = 120_000;

    private final int socketBufferBytes;
    private final @Nullable String congestionControl;

    /** USAGE if the kernel does not know the congestion control. */
    SocketIo(TcpSettings settings) {
        this.socketBufferBytes = settings.socketBufferBytes();
        this.congestionControl = settings.congestionControl();
        checkCongestionControl();
    }

    EpollSocketChannel newSocket() {
        return new EpollSocketChannel();
    }

    EpollServerSocketChannel newServerSocket() {
        EpollServerSocketChannel channel = new EpollServerSocketChannel();
        if (socketBufferBytes > 0) {
            // Before listen: it determines the window scale of accepted connections.
            channel.config().setReceiveBufferSize(socketBufferBytes);
        }
        return channel;
    }

    /** Whether the kernel has BBR, and the user has not chosen another congestion control. */
    boolean mayUseBbr() {
        return congestionControl == null && CongestionControl.bbrIsPermitted();
    }

    /** Sets the options of a connection, before it connects or after it was accepted. */
    void tune(Channel channel) {
        ChannelConfig config = channel.config();
        config.setOption(ChannelOption.TCP_NODELAY, true);
        config.setOption(ChannelOption.SO_KEEPALIVE, true);
        if (socketBufferBytes > 0) {
            config.setOption(ChannelOption.SO_SNDBUF, socketBufferBytes);
            config.setOption(ChannelOption.SO_RCVBUF, socketBufferBytes);
        }
        config.setOption(EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
        config.setOption(EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
        config.setOption(EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_COUNT);
        config.setOption(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
        if (congestionControl != null) {
            CongestionControl.set(channel, congestionControl);
        }
    }

    private void checkCongestionControl() {
        if (congestionControl == null) {
            return;
        }
        EpollSocketChannel probe = newSocket();
        try {
            CongestionControl.set(probe, congestionControl);
        } catch (ChannelException e) {
            throw Cause.USAGE.failure(
                    "this kernel has no congestion control " + congestionControl + "; it has: "
                            + CongestionControl.available(),
                    e);
        } finally {
            probe.unsafe().closeForcibly();
        }
    }
}
