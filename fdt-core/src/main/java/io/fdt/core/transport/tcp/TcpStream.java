package io.fdt.core.transport.tcp;

import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Connection;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.LaneStream;
import io.fdt.core.transport.WakeUp;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane's bytes over its socket's descriptor, after the lane was opened on a Netty channel. The channel is no longer
 * registered with an event loop: it is kept for its addresses and options. The descriptor is in blocking mode, with a
 * timeout, for the calls that wait; all other calls request not to wait.
 */
final class TcpStream extends LaneStream implements Connection, DirectStream {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long bytes are dropped before the lane checks its tasks; too short to be visible in the progress. */
    private static final long DROP_NANOS = 20_000_000;

    /**
     * Data in the send buffer is bound to this lane: at the end of a copy, the slowest lane still has to send it, and
     * if the lane is lost, it is sent again. It lasts a third of a millisecond at 25 Gbit/s, while the lane reads and
     * hashes.
     */
    private static final int UNSENT_BYTES = 1 << 20;

    /** A result of {@link NativeCode#awaitRoom}. */
    private static final int NOTICES_CAME = 2;

    private final EpollSocketChannel channel;
    private final int fd;
    private final LaneWait waiting;
    private final Queue<ByteBuf> early;
    private final LanePlaces places;
    private final boolean mayUseBbr;
    private final @Nullable SendsInPlace inPlace;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    private final long scratchAddress = Libc.addressOf(scratch);

    private BooleanSupplier ending = () -> false;
    private int threadNumber = -1;
    private long lookedNanos = System.nanoTime();
    private @Nullable TcpInfo tcpInfo;

    /** The last call received less than possible, so the next one would receive nothing. */
    private boolean drained;

    /**
     * @param early bytes that were already received, in order
     * @param mayUseBbr whether the kernel has BBR, and the user has not chosen another congestion control
     * @param sendsInPlace whether the kernel is to read large blocks in place, if it can
     */
    TcpStream(
            EpollSocketChannel channel,
            String peer,
            LaneWait waiting,
            Queue<ByteBuf> early,
            LanePlaces places,
            boolean mayUseBbr,
            boolean sendsInPlace) {
        super(peer);
        this.channel = channel;
        this.fd = channel.fd().intValue();
        this.waiting = waiting;
        this.early = early;
        this.places = places;
        this.mayUseBbr = mayUseBbr;
        this.inPlace = sendsInPlace ? new SendsInPlace(0) : null;
    }

    @Override
    public void begin(int number, BooleanSupplier laneIsEnding) {
        threadNumber = number;
        ending = laneIsEnding;
        int set = SocketCalls.setTimeouts(fd, scratch, WAIT_MS);
        set = set < 0 ? set : Sockets.setUnsentLimit(fd, scratch, UNSENT_BYTES);
        set = set < 0 ? set : Sockets.setBlocking(fd);
        if (set < 0) {
            throw lost(Libc.strerror(-set));
        }
        if (inPlace != null && Sockets.permitSendsInPlace(fd, scratch) < 0) {
            inPlace.stop();
        }
        try {
            waiting.begin();
        } catch (Exception failure) {
            TransferException limit = TransferException.ofHostLimit(failure);
            throw limit == null ? Failures.lost(peer(), failure) : limit;
        }
    }

    @Override
    public void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos) {
        if (waiting.await(toReceive, toSend, nanos)) {
            readNotices();
        }
    }

    // ---- Sending.

    @Override
    public void send(Block block) {
        ByteBuffer bytes = block.buffer();
        long address = block.address() + bytes.position();
        int length = bytes.remaining();
        SendsInPlace own = inPlace;
        int sent = own != null && own.isFor(length) ? sendInPlace(own, address, length) : sendNow(address, length);
        bytes.position(bytes.position() + sent);
    }

    private int sendInPlace(SendsInPlace own, long address, int lengthBytes) {
        int result = Sockets.sendInPlace(fd, address, lengthBytes);
        if (result > 0) {
            own.onSent();
        }
        if (result == -Sockets.ENOBUFS) {
            own.stop();
            return sendNow(address, lengthBytes);
        }
        return result >= 0 ? result : noneOrFailure(-result);
    }

    @Override
    public int spareBlocks() {
        return inPlace == null ? 0 : SendsInPlace.SPARE_BLOCKS;
    }

    @Override
    public void addSpare(LaneBlock block) {
        if (inPlace != null) {
            inPlace.addSpare(block);
        }
    }

    @Override
    public LaneBlock exchange(LaneBlock sent) {
        SendsInPlace own = inPlace;
        LaneBlock next = own == null ? sent : own.exchange(sent);
        if (own != null && !own.hasSpare()) {
            readNotices();
        }
        return next;
    }

    /** Until they are read, every wait ends at once. */
    private void readNotices() {
        if (inPlace != null) {
            inPlace.readNotices(fd);
        }
    }

    @Override
    public int send(long address, int lengthBytes, boolean waits) {
        int result = SocketCalls.send(fd, address, lengthBytes, waits);
        return result >= 0 ? result : noneOrFailure(-result);
    }

    @Override
    public boolean awaitRoom(int patienceMs) {
        int found = NativeCode.awaitRoom(fd, patienceMs);
        if (found == NOTICES_CAME) {
            readNotices();
        }
        return found > 0;
    }

    @Override
    public boolean endSending() {
        // A lost connection shows when the peer's end is received.
        var unused = SocketCalls.endSending(fd);
        return true;
    }

    // ---- Receiving.

    @Override
    public int receive(Block block, int from) {
        lookWhenDue();
        if (hasEarly()) {
            return takeEarly(block.buffer().limit(block.capacity()).position(from));
        }
        if (drained) {
            drained = false;
            return 0;
        }
        int room = block.capacity() - from;
        int came = receiveNow(block.address() + from, room);
        drained = came > 0 && came < room;
        return came;
    }

    private boolean hasEarly() {
        return !early.isEmpty();
    }

    /** Copies early bytes into the buffer's free space. Returns the number of bytes. */
    private int takeEarly(ByteBuffer room) {
        int start = room.position();
        int limit = room.limit();
        for (ByteBuf next = early.peek(); next != null && room.hasRemaining(); next = early.peek()) {
            room.limit(room.position() + Math.min(room.remaining(), next.readableBytes()));
            next.readBytes(room);
            room.limit(limit);
            if (!next.isReadable()) {
                early.remove().release();
            }
        }
        return room.position() - start;
    }

    @Override
    public int receive(long address, int lengthBytes, boolean waits) {
        return received(SocketCalls.receive(fd, address, lengthBytes, waits));
    }

    @Override
    public int receivePolling(long address, int lengthBytes) {
        return received(NativeCode.receivePolling(fd, address, lengthBytes, POLLS));
    }

    /** The kernel uses the address only if it copies. */
    @Override
    public int discard(int lengthBytes) {
        return received((int) Libc.result(Libc.recv(fd, scratchAddress, lengthBytes, Sockets.MSG_TRUNC)));
    }

    @Override
    public int dropAhead(int lengthBytes) {
        int dropped = 0;
        long started = System.nanoTime();
        int came = hasEarly() ? 0 : 1;
        while (came > 0
                && dropped < lengthBytes
                && !ending.getAsBoolean()
                && System.nanoTime() - started < DROP_NANOS) {
            int result = (int) Libc.result(Libc.recv(fd, scratchAddress, lengthBytes - dropped, Sockets.MSG_TRUNC));
            // The next call that receives finds an end or a failure.
            came = Math.max(0, result);
            dropped += came;
        }
        return dropped;
    }

    private int received(int result) {
        return result > 0 ? result : result == 0 ? END : noneOrFailure(-result);
    }

    private int noneOrFailure(int errno) {
        if (errno == SocketCalls.EAGAIN || errno == SocketCalls.EINTR) {
            return 0;
        }
        // Perhaps a call that sends has failed: the next call that receives gets what arrived before.
        drained = false;
        throw lost(Libc.strerror(errno));
    }

    @Override
    public @Nullable DirectStream direct() {
        return hasEarly() ? null : this;
    }

    // ---- The connection.

    @Override
    public Connection connection() {
        return this;
    }

    /** Netty keeps both addresses once connected, so this is thread-safe. */
    @Override
    public Lane.@Nullable Ends ends() {
        InetSocketAddress local = channel.localAddress();
        InetSocketAddress remote = channel.remoteAddress();
        return local == null || remote == null ? null : new Lane.Ends(local, remote);
    }

    /** Null if the socket is closed, or the kernel has no figures. */
    @Override
    public @Nullable StreamFigures figures() {
        StreamFigures figures = channel.isOpen() ? info().read(fd) : null;
        if (figures != null) {
            settle(figures.place().incomingCore());
        }
        return figures;
    }

    /** A thread that makes its own calls updates the figures when it requests them. */
    private void lookWhenDue() {
        if (places != LanePlaces.ANYWHERE) {
            long now = System.nanoTime();
            if (now - lookedNanos >= LOOK_NANOS) {
                lookedNanos = now;
                settle(info().incomingCore(fd));
            }
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
        if (incomingCore >= 0 && threadNumber >= 0) {
            places.onPackets(threadNumber, incomingCore);
        }
    }

    @Override
    public boolean mayUseBbr() {
        return mayUseBbr;
    }

    @Override
    public void useBbr(boolean wish) {
        try {
            CongestionControl.set(channel, wish ? CongestionControl.BBR : CongestionControl.kernelDefault());
        } catch (ChannelException refused) {
            // It continues as before: the socket is closed, or the kernel refuses.
            return;
        }
    }

    /** If the kernel refuses, the lane is not paced. */
    @Override
    public void pace(long bytesPerSecond) {
        var unused = Sockets.setPace(fd, scratch, bytesPerSecond);
    }

    // ---- The end.

    /** A reset shows the peer that this is not an orderly end. */
    @Override
    public void breakOff() {
        if (channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // The socket is already closed, so the peer has been shown an end.
                return;
            }
        }
    }

    @Override
    protected void free() {
        early.forEach(ByteBuf::release);
        early.clear();
        waiting.close();
        try {
            channel.fd().close();
        } catch (IOException e) {
            // The system has freed the descriptor nevertheless.
            return;
        }
    }
}
