package io.fdt.core.transport.local;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.WakeUp;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A Unix-domain stream socket. Its calls wait for as long as its timeouts say, {@link #WAIT_MS}, unless told not to.
 */
final class SocketStream extends LocalStream {
    /** Larger calls are cut to it. */
    private static final int DROP_BYTES = 1 << 20;

    private @Nullable ByteBuffer dropped;
    private long droppedAddress;

    SocketStream(int fd, String peer) {
        super(fd, peer);
    }

    @Override
    protected int sendNow(long address, int lengthBytes) {
        return sent(Kernel.sendFrom(fd, address, lengthBytes, false));
    }

    @Override
    protected int sendWaiting(long address, int lengthBytes) {
        return sent(Kernel.sendFrom(fd, address, lengthBytes, true));
    }

    @Override
    protected int receiveNow(long address, int lengthBytes) {
        return received(Kernel.receiveInto(fd, address, lengthBytes, false));
    }

    @Override
    protected int receiveWaiting(long address, int lengthBytes) {
        return received(Kernel.receiveInto(fd, address, lengthBytes, true));
    }

    /**
     * MSG_TRUNC, by which TCP drops bytes in the kernel, does nothing on these sockets: they are copied, then
     * forgotten.
     */
    @Override
    protected int discardWaiting(int lengthBytes) {
        if (dropped == null) {
            dropped = Kernel.memory(DROP_BYTES);
            droppedAddress = Libc.addressOf(dropped);
        }
        return receiveWaiting(droppedAddress, Math.min(lengthBytes, DROP_BYTES));
    }

    private int sent(int result) {
        return result >= 0 ? result : noneOrFailure(-result);
    }

    private int received(int result) {
        if (result > 0) {
            return result;
        }
        if (result < 0) {
            return noneOrFailure(-result);
        }
        if (peerHasGone()) {
            throw gone();
        }
        return END;
    }

    private int noneOrFailure(int errno) {
        if (errno == Kernel.EAGAIN || errno == Kernel.EINTR) {
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
