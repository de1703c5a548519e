package io.fdt.core.transport.local;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.transport.WakeUp;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A Unix-domain stream socket. Its calls wait for up to {@link #WAIT_MS}, unless they request not to. */
final class SocketStream extends LocalStream {
    /** Larger calls are limited to this size. */
    private static final int DROP_BYTES = 1 << 20;

    private @Nullable ByteBuffer dropped;
    private long droppedAddress;

    SocketStream(int fd, String peer) {
        super(fd, peer);
    }

    @Override
    public int send(long address, int lengthBytes, boolean waits) {
        int result = SocketCalls.send(fd, address, lengthBytes, waits);
        return result >= 0 ? result : noneOrFailure(-result);
    }

    @Override
    public int receive(long address, int lengthBytes, boolean waits) {
        int result = SocketCalls.receive(fd, address, lengthBytes, waits);
        if (result != 0) {
            return result > 0 ? result : noneOrFailure(-result);
        }
        if (peerHasGone()) {
            throw gone();
        }
        return END;
    }

    /**
     * MSG_TRUNC, by which TCP drops bytes in the kernel, has no effect on these sockets: the bytes are copied and
     * ignored.
     */
    @Override
    public int discard(int lengthBytes) {
        if (dropped == null) {
            dropped = Kernel.memory(DROP_BYTES);
            droppedAddress = Libc.addressOf(dropped);
        }
        return receive(droppedAddress, Math.min(lengthBytes, DROP_BYTES));
    }

    private int noneOrFailure(int errno) {
        if (errno == SocketCalls.EAGAIN || errno == SocketCalls.EINTR) {
            return 0;
        }
        throw lost(Kernel.reason(errno));
    }

    @Override
    public void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos) {
        int wanted = (toReceive ? Kernel.POLLIN : 0) | (toSend ? Kernel.POLLOUT : 0);
        Kernel.await(polled, fd, wanted, woken.descriptor(), millis(nanos));
    }
}
