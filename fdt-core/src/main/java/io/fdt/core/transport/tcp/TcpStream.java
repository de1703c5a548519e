package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.LanePlaces;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.FileDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane's bytes over the socket's descriptor. The descriptor is in blocking mode, with a timeout, for the calls that
 * wait; all other calls request not to wait.
 */
final class TcpStream extends ChannelStream implements DirectStream {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long bytes are dropped before the lane checks its tasks; too short to be visible in the progress. */
    private static final long DROP_NANOS = 20_000_000;

    /**
     * Data in the send buffer is bound to this lane: at the end of a copy, the slowest lane still has to send it, and
     * if the lane is lost, it is sent again. It lasts a third of a millisecond at 25 Gbit/s, while the lane reads and
     * hashes.
     */
    private static final int UNSENT_BYTES = 1 << 20;

    private final int fd;
    private final LanePlaces places;
    private final boolean mayUseBbr;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    private final long scratchAddress = Libc.addressOf(scratch);

    private BooleanSupplier ending = () -> false;
    private int threadNumber = -1;
    private long lookedNanos = System.nanoTime();
    private @Nullable TcpInfo tcpInfo;

    /** @param mayUseBbr whether the kernel has BBR, and the user has not chosen another congestion control */
    TcpStream(
            SocketChannel channel,
            FileDescriptor descriptor,
            String peer,
            LaneWait waiting,
            Queue<ByteBuf> early,
            LanePlaces places,
            boolean mayUseBbr) {
        super(channel, descriptor::close, peer, waiting, early);
        this.fd = descriptor.intValue();
        this.places = places;
        this.mayUseBbr = mayUseBbr;
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
        super.begin(number, laneIsEnding);
    }

    // ---- Sending.

    @Override
    public void send(Block block) {
        ByteBuffer bytes = block.buffer();
        int sent = sendNow(block.address() + bytes.position(), bytes.remaining());
        bytes.position(bytes.position() + sent);
    }

    @Override
    public int send(long address, int lengthBytes, boolean waits) {
        int result = SocketCalls.send(fd, address, lengthBytes, waits);
        return result >= 0 ? result : noneOrFailure(-result);
    }

    @Override
    public boolean awaitRoom(int patienceMs) {
        return NativeCode.isLoaded() && NativeCode.awaitRoom(fd, patienceMs) > 0;
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
        return super.receive(block, from);
    }

    @Override
    int receiveInto(Block block, int from) {
        return receiveNow(block.address() + from, block.capacity() - from);
    }

    @Override
    public int receive(long address, int lengthBytes, boolean waits) {
        return received(SocketCalls.receive(fd, address, lengthBytes, waits));
    }

    @Override
    public int receivePolling(long address, int lengthBytes) {
        return NativeCode.isLoaded()
                ? received(NativeCode.receivePolling(fd, address, lengthBytes, POLLS))
                : DirectStream.super.receivePolling(address, lengthBytes);
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
        lookAgain();
        throw lost(Libc.strerror(errno));
    }

    @Override
    public @Nullable DirectStream direct() {
        return hasEarly() ? null : this;
    }

    // ---- The connection.

    /** Null if the socket is closed, or the kernel has no figures. */
    @Override
    public @Nullable StreamFigures figures() {
        StreamFigures figures = channel().isOpen() ? info().read(fd) : null;
        if (figures != null) {
            settle(figures.incomingCore());
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
            CongestionControl.set(channel(), wish ? CongestionControl.BBR : CongestionControl.usual());
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
}
