package io.fdt.core.transport.tcp;

import io.fdt.core.FailureKind;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.LaneStream;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** The differences between epoll, io_uring and NIO: loops, sockets and the options that only some of them have. */
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

    private static final String MULTI_SHOT = "io.netty.iouring.pollAddMultishotEnabled";

    private final IoKind kind;
    private final IoHandlerFactory loops;
    private final Supplier<SocketChannel> sockets;
    private final Supplier<ServerSocketChannel> serverSockets;
    private final int socketBufferBytes;
    private final @Nullable String congestionControl;

    private SocketIo(
            IoKind kind,
            IoHandlerFactory loops,
            Supplier<SocketChannel> sockets,
            Supplier<ServerSocketChannel> serverSockets,
            TcpSettings settings) {
        this.kind = kind;
        this.loops = loops;
        this.sockets = sockets;
        this.serverSockets = serverSockets;
        this.socketBufferBytes = settings.socketBufferBytes();
        this.congestionControl = settings.congestionControl();
    }

    /** The I/O for these settings. USAGE if it cannot be loaded or does not know the congestion control. */
    static SocketIo of(TcpSettings settings) {
        IoKind kind = settings.io();
        if (kind == IoKind.AUTO) {
            kind = Epoll.isAvailable() ? IoKind.EPOLL : IoKind.NIO;
        }
        SocketIo io = switch (kind) {
            case EPOLL -> {
                require(kind, Epoll.isAvailable(), Epoll.unavailabilityCause());
                yield new SocketIo(
                        kind,
                        EpollIoHandler.newFactory(),
                        EpollSocketChannel::new,
                        EpollServerSocketChannel::new,
                        settings);
            }
            case IO_URING -> {
                keepResetsFromGettingLost();
                require(kind, IoUring.isAvailable(), IoUring.unavailabilityCause());
                yield new SocketIo(
                        kind,
                        IoUringIoHandler.newFactory(),
                        IoUringSocketChannel::new,
                        IoUringServerSocketChannel::new,
                        settings);
            }
            case NIO, AUTO ->
                new SocketIo(
                        IoKind.NIO,
                        NioIoHandler.newFactory(),
                        NioSocketChannel::new,
                        NioServerSocketChannel::new,
                        settings);
        };
        io.checkCongestionControl();
        return io;
    }

    /**
     * With Netty's multi-shot poll, a connection's reset is missed if the last data before it is read after the poll
     * has reported it: the poll does not report again, and nothing reads once more. A poll that is requested anew each
     * time does. Netty reads the property when it first uses io_uring.
     */
    private static void keepResetsFromGettingLost() {
        if (System.getProperty(MULTI_SHOT) == null) {
            System.setProperty(MULTI_SHOT, "false");
        }
    }

    private static void require(IoKind kind, boolean available, @Nullable Throwable why) {
        if (!available) {
            Throwable root = why;
            while (root != null && root.getCause() != null) {
                root = root.getCause();
            }
            throw FailureKind.USAGE.failure(
                    kind.label() + " does not work here: " + (root == null ? "no reason given" : root.getMessage()),
                    why);
        }
    }

    String name() {
        return kind.label();
    }

    /**
     * Whether this I/O may continue to read after the end of the peer's stream without a request, and cannot be
     * prevented.
     */
    boolean readsUnasked() {
        return kind == IoKind.IO_URING;
    }

    SocketChannel newSocket() {
        return sockets.get();
    }

    /** An event loop whose only thread has this name. */
    MultiThreadIoEventLoopGroup newLoop(String threadName) {
        ThreadFactory threads = loop -> {
            // Netty's own type of thread: its recycling caches need no lookup there.
            Thread thread = new DefaultThreadFactory(threadName, true).newThread(loop);
            thread.setName(threadName);
            return thread;
        };
        return new MultiThreadIoEventLoopGroup(1, threads, loops);
    }

    LaneWait newWait(SocketChannel channel) {
        return switch (kind) {
            case EPOLL -> new LaneWait.OnEpoll(loops, ((UnixChannel) channel).fd());
            case IO_URING -> new LaneWait.OnIoUring(loops, ((UnixChannel) channel).fd());
            case NIO, AUTO -> new LaneWait.OnNio(loops, javaChannel(channel));
        };
    }

    /**
     * The bytes of a lane that was opened on this channel, which is no longer registered with a loop.
     *
     * @param early bytes that were already received, in order
     */
    LaneStream newStream(SocketChannel channel, String peer, LaneWait wait, Queue<ByteBuf> early, LanePlaces places) {
        if (kind == IoKind.NIO) {
            java.nio.channels.SocketChannel socket = javaChannel(channel);
            return new NioStream(channel, socket, peer, wait, early);
        }
        boolean mayUseBbr = congestionControl == null && CongestionControl.bbrIsPermitted();
        return new TcpStream(channel, ((UnixChannel) channel).fd(), peer, wait, early, places, mayUseBbr);
    }

    private static java.nio.channels.SocketChannel javaChannel(SocketChannel channel) {
        return (java.nio.channels.SocketChannel)
                ((NioSocketChannel) channel).unsafe().ch();
    }

    ServerSocketChannel newServerSocket() {
        ServerSocketChannel channel = serverSockets.get();
        if (socketBufferBytes > 0) {
            // Before listen: it determines the window scale of accepted connections.
            channel.config().setReceiveBufferSize(socketBufferBytes);
        }
        return channel;
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
        switch (kind) {
            case EPOLL -> {
                config.setOption(EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
                config.setOption(EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
                config.setOption(EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_COUNT);
                config.setOption(EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
            }
            case IO_URING -> {
                config.setOption(IoUringChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
                config.setOption(IoUringChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
                config.setOption(IoUringChannelOption.TCP_KEEPCNT, KEEPALIVE_COUNT);
                config.setOption(IoUringChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
            }
            case NIO, AUTO -> {
                config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), KEEPALIVE_IDLE_SECONDS);
                config.setOption(
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), KEEPALIVE_INTERVAL_SECONDS);
                config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), KEEPALIVE_COUNT);
            }
        }
        if (congestionControl != null) {
            CongestionControl.set(channel, congestionControl);
        }
    }

    private void checkCongestionControl() {
        if (congestionControl == null) {
            return;
        }
        if (kind == IoKind.NIO) {
            throw FailureKind.USAGE.failure("nio cannot choose a congestion control: epoll and io_uring can");
        }
        SocketChannel probe = newSocket();
        try {
            CongestionControl.set(probe, congestionControl);
        } catch (ChannelException e) {
            throw FailureKind.USAGE.failure(
                    "this kernel has no congestion control " + congestionControl + "; it has: "
                            + CongestionControl.available(),
                    e);
        } finally {
            probe.unsafe().closeForcibly();
        }
    }
}
