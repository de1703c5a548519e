package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.StreamFigures;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's socket below a lane: what is asked of it past Netty, by its descriptor, which is known with epoll alone.
 * Bytes that go through Netty's channel are none of its business, nor is when the channel closes.
 *
 * <p>Methods without a note are for the loop that the channel is registered with: it alone knows that the descriptor
 * is still the socket's.
 */
final class LaneSocket {
    private static final long LOOK_MS = 1000;

    /**
     * How long bytes are dropped before the loop looks at its tasks; as much as nobody sees in a figure of progress.
     */
    private static final long DROP_NANOS = 20_000_000;

    /** How long a send may wait for room before the loop waits instead, which looks at its tasks meanwhile. */
    private static final int ROOM_WAIT_MS = 10;

    private static final long ROOM_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(ROOM_WAIT_MS);

    private final SocketChannel channel;
    private final @Nullable EpollSocketChannel epoll;
    private final String peer;
    private final LanePlaces places;

    /** For the thread, where it waits in the kernel and not for tasks. */
    private volatile boolean ending;

    private int number = -1;
    private long sendWaitNanos;
    private @Nullable TcpInfo tcpInfo;
    private @Nullable KernelStream stream;

    LaneSocket(SocketChannel channel, String peer, LanePlaces places) {
        this.channel = channel;
        this.epoll = channel instanceof EpollSocketChannel known ? known : null;
        this.peer = peer;
        this.places = places;
    }

    /** Netty keeps both addresses from the connecting on, so they may be asked for on any thread. */
    Lane.@Nullable Ends ends() {
        InetSocketAddress local = channel.localAddress();
        InetSocketAddress remote = channel.remoteAddress();
        return local == null || remote == null ? null : new Lane.Ends(local, remote);
    }

    /** The thread that moves the bytes has this number. */
    void onThread(int threadNumber) {
        number = threadNumber;
    }

    // ---- The descriptor in our own hands.

    /**
     * Null where the descriptor is not known. The same one each time: who takes it again and again allocates nothing.
     */
    @Nullable KernelStream stream() {
        KernelStream known = stream;
        if (known != null) {
            return known.open() ? known : null;
        }
        stream = epoll == null ? null : KernelStream.over(epoll.fd().intValue(), peer, () -> ending);
        return stream;
    }

    /** Has the kernel drop what comes, up to this much; how much it was. */
    int drop(int lengthBytes) {
        KernelStream opened = stream();
        if (opened == null) {
            return 0;
        }
        int dropped = 0;
        long startedNanos = System.nanoTime();
        try (opened) {
            int came = 1;
            while (came > 0 && dropped < lengthBytes && System.nanoTime() - startedNanos < DROP_NANOS) {
                came = opened.discard(lengthBytes - dropped);
                dropped += Math.max(0, came);
            }
        } catch (TransferException lost) {
            // The next read is told of it, too, and ends the lane.
            return dropped;
        }
        return dropped;
    }

    /**
     * Hands bytes to the kernel from the lane's own thread, and waits for room a short while, unless there is something
     * to receive: to be told of room by the loop costs two more calls and a turn of it.
     *
     * @return how many the kernel took: fewer than there are where the loop is to wait, where the connection has
     *     failed, which the next write is told of, too, or where there is no such shortcut
     */
    int send(long address, int lengthBytes) {
        EpollSocketChannel socket = epoll;
        if (socket == null || !NativeCode.isLoaded() || !socket.isOpen()) {
            return 0;
        }
        int fd = socket.fd().intValue();
        int sent = 0;
        long patienceNanos = ROOM_PATIENCE_NANOS;
        while (true) {
            int took = NativeCode.send(fd, address + sent, lengthBytes - sent, Sockets.MSG_DONTWAIT);
            if (took < 0 && took != -Sockets.EAGAIN) {
                return sent;
            }
            sent += Math.max(0, took);
            if (sent == lengthBytes || ending || patienceNanos <= 0) {
                return sent;
            }
            long started = System.nanoTime();
            int ready = NativeCode.awaitRoom(fd, ROOM_WAIT_MS);
            long waited = System.nanoTime() - started;
            sendWaitNanos += waited;
            patienceNanos -= waited;
            if (ready <= 0) {
                return sent;
            }
        }
    }

    /** How long {@link #send} has waited for room in all. */
    long sendWaitNanos() {
        return sendWaitNanos;
    }

    /** Somebody wants the lane to end: whoever has the {@link #stream} sees {@link KernelStream#END}. Any thread. */
    void endStream() {
        ending = true;
    }

    // ---- What the kernel knows of the connection.

    /** Null when the socket is closed, or the kernel does not say. */
    @Nullable StreamFigures figures() {
        if (epoll == null || !channel.isOpen()) {
            return null;
        }
        StreamFigures figures = info().read(epoll.fd().intValue());
        if (figures != null) {
            settle(figures.incomingCore());
        }
        return figures;
    }

    /**
     * Looks now and then where the packets come up. A thread that is in its own calls does so when it asks for figures.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // It ends with the loop.
    void watchPackets(EventLoop loop) {
        EpollSocketChannel socket = epoll;
        if (places != LanePlaces.ANYWHERE && socket != null) {
            loop.scheduleWithFixedDelay(() -> look(socket), LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void look(EpollSocketChannel socket) {
        if (socket.isOpen()) {
            settle(info().incomingCore(socket.fd().intValue()));
        }
    }

    private TcpInfo info() {
        TcpInfo info = tcpInfo;
        if (info == null) {
            info = new TcpInfo();
            tcpInfo = info;
        }
        return info;
    }

    private void settle(int incomingCore) {
        if (incomingCore >= 0 && number >= 0) {
            places.onPackets(number, incomingCore);
        }
    }

    // ---- The end.

    /** Closing it tells the peer from now on that this is no orderly end. */
    void resetOnClose() {
        if (channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // The socket is gone already, so there is nobody to tell.
                return;
            }
        }
    }
}
