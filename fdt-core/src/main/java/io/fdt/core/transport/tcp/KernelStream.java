package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.DirectStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a clear lane in the hands of the lane's thread. While it is, the descriptor blocks, with a limit to
 * each wait, so that the thread sees within that time that it is to end: nobody else ever touches the descriptor, which
 * could belong to another connection by then. Allocates nothing from call to call.
 */
final class KernelStream implements DirectStream {
    private static final long WAIT_MS = 100;

    /** A quarter of a millisecond at most, as a call that finds nothing goes. */
    private static final int POLLS = 500;

    private final int fd;
    private final String peer;
    private final BooleanSupplier ending;
    private final ByteBuffer scratch;
    private final long scratchAddress;
    private boolean closed;

    private KernelStream(int fd, String peer, BooleanSupplier ending) {
        this.fd = fd;
        this.peer = peer;
        this.ending = ending;
        this.scratch = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        this.scratchAddress = Libc.addressOf(scratch);
    }

    /** Null when the kernel does not let it be so. */
    static @Nullable KernelStream over(int fd, String peer, BooleanSupplier ending) {
        KernelStream stream = new KernelStream(fd, peer, ending);
        if (Sockets.setTimeouts(fd, stream.scratch, WAIT_MS) < 0) {
            return null;
        }
        return stream.open() ? stream : null;
    }

    /** Once more, after {@link #close}; false when the kernel does not let it be so. */
    boolean open() {
        closed = Sockets.setBlocking(fd, true) < 0;
        return !closed;
    }

    @Override
    public int send(long address, int lengthBytes) {
        return sent(address, lengthBytes, 0);
    }

    @Override
    public int sendNow(long address, int lengthBytes) {
        return sent(address, lengthBytes, Sockets.MSG_DONTWAIT);
    }

    private int sent(long address, int lengthBytes, int flags) {
        if (ending.getAsBoolean()) {
            return END;
        }
        int sent = Sockets.sendFrom(fd, address, lengthBytes, flags);
        return sent >= 0 ? sent : noneOrFailure(-sent);
    }

    @Override
    public int receive(long address, int lengthBytes) {
        return received(address, lengthBytes, 0);
    }

    @Override
    public int receiveNow(long address, int lengthBytes) {
        return received(address, lengthBytes, Sockets.MSG_DONTWAIT);
    }

    @Override
    public int receivePolling(long address, int lengthBytes) {
        if (ending.getAsBoolean()) {
            return END;
        }
        return came(Sockets.receivePolling(fd, address, lengthBytes, POLLS));
    }

    /** The kernel looks at the address only where it copies. */
    @Override
    public int discard(int lengthBytes) {
        return received(scratchAddress, lengthBytes, Sockets.MSG_TRUNC);
    }

    private int received(long address, int lengthBytes, int flags) {
        if (ending.getAsBoolean()) {
            return END;
        }
        return came(Sockets.receiveInto(fd, address, lengthBytes, flags));
    }

    private int came(int count) {
        return count > 0 ? count : count == 0 ? END : noneOrFailure(-count);
    }

    private int noneOrFailure(int errno) {
        if (errno == Sockets.EAGAIN || errno == Sockets.EINTR) {
            return 0;
        }
        throw Failures.lost(peer, reason(errno));
    }

    private static String reason(int errno) {
        return switch (errno) {
            case Sockets.ECONNRESET -> "it was reset";
            case Sockets.EPIPE -> "it was closed by the peer";
            default -> "error " + errno + " of the system";
        };
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            // Netty, which has the descriptor from here on, must never wait in a call.
            int given = Sockets.setBlocking(fd, false);
            if (given < 0) {
                throw Failures.lost(peer, reason(-given));
            }
        }
    }
}
