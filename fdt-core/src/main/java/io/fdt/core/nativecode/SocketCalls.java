package io.fdt.core.nativecode;

import java.nio.ByteBuffer;

/**
 * Calls on stream sockets of any family, through {@link Libc}. Every call returns the result of the kernel: a value of
 * zero or more, or the negated errno. Data is passed by address, so nothing is allocated.
 */
public final class SocketCalls {
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int SOL_SOCKET = 1;
    public static final int MSG_NOSIGNAL = 0x4000;

    private static final int MSG_DONTWAIT = 0x40;
    private static final int SHUT_WR = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int TIMEVAL_BYTES = 16;

    private SocketCalls() {}

    /** @param waits whether the descriptor is in blocking mode */
    public static int send(int fd, long address, int length, boolean waits) {
        return (int) Libc.result(Libc.send(fd, address, length, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT)));
    }

    /** @param waits whether the descriptor is in blocking mode */
    public static int receive(int fd, long address, int length, boolean waits) {
        return (int) Libc.result(Libc.recv(fd, address, length, waits ? 0 : MSG_DONTWAIT));
    }

    /** Sets how long blocking calls wait; 0 for no limit. The scratch buffer has room for two numbers. */
    public static int setTimeouts(int fd, ByteBuffer scratch, long timeoutMs) {
        scratch.putLong(0, timeoutMs / 1000).putLong(8, timeoutMs % 1000 * 1000);
        long address = Libc.addressOf(scratch);
        int set = Libc.result(Libc.setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, address, TIMEVAL_BYTES));
        return set < 0 ? set : Libc.result(Libc.setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, address, TIMEVAL_BYTES));
    }

    public static int endSending(int fd) {
        return Libc.result(Libc.shutdown(fd, SHUT_WR));
    }
}
