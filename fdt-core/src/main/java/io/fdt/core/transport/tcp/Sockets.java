package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import java.nio.ByteBuffer;

/**
 * TCP socket calls that Netty does not offer, through {@link Libc}. Every call returns the result of the kernel: a
 * value of zero or more, or the negated errno. Numbers are those of Linux on x86-64 and aarch64.
 */
final class Sockets {
    /** The bytes are dropped, not copied. */
    static final int MSG_TRUNC = 0x20;

    static final int SO_INCOMING_CPU = 49;
    static final int SO_INCOMING_NAPI_ID = 56;

    /** The kernel has no memory for the notice of another send in place, or may not lock more of the process's. */
    static final int ENOBUFS = 105;

    private static final int SO_ZEROCOPY = 60;
    private static final int MSG_ZEROCOPY = 0x4000000;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 04000;
    private static final int SO_MAX_PACING_RATE = 47;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int TCP_NOTSENT_LOWAT = 25;

    private Sockets() {}

    /** Calls block from now on, unless they request otherwise. */
    static int setBlocking(int fd) {
        int flags = Libc.result(Libc.fcntl(fd, F_GETFL, 0));
        return flags < 0 ? flags : Libc.result(Libc.fcntl(fd, F_SETFL, flags & ~O_NONBLOCK));
    }

    /** Limits the rate of TCP, with even spacing; needs no queueing discipline. */
    static int setPace(int fd, ByteBuffer scratch, long bytesPerSecond) {
        scratch.putLong(0, bytesPerSecond);
        return Libc.result(
                Libc.setsockopt(fd, SocketCalls.SOL_SOCKET, SO_MAX_PACING_RATE, Libc.addressOf(scratch), Long.BYTES));
    }

    /** Limits the data in the send buffer that is not in flight yet. */
    static int setUnsentLimit(int fd, ByteBuffer scratch, int bytes) {
        scratch.putInt(0, bytes);
        return Libc.result(Libc.setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, Libc.addressOf(scratch), Integer.BYTES));
    }

    /** Permits {@link #sendInPlace}. */
    static int permitSendsInPlace(int fd, ByteBuffer scratch) {
        scratch.putInt(0, 1);
        return Libc.result(
                Libc.setsockopt(fd, SocketCalls.SOL_SOCKET, SO_ZEROCOPY, Libc.addressOf(scratch), Integer.BYTES));
    }

    /** Sends without waiting; the kernel reads the accepted bytes until its notice. */
    static int sendInPlace(int fd, long address, int lengthBytes) {
        return (int) Libc.result(
                Libc.send(fd, address, lengthBytes, SocketCalls.MSG_NOSIGNAL | MSG_DONTWAIT | MSG_ZEROCOPY));
    }

    /** Fills the memory with the kernel's {@code struct tcp_info}. */
    static int tcpInfo(int fd, long address, long lengthAddress) {
        return Libc.result(Libc.getsockopt(fd, IPPROTO_TCP, TCP_INFO, address, lengthAddress));
    }

    /** A socket option with an integer value. The scratch buffer has room for two. */
    static int option(int fd, int name, ByteBuffer scratch) {
        scratch.putInt(0, 0).putInt(4, Integer.BYTES);
        long address = Libc.addressOf(scratch);
        int got = Libc.result(Libc.getsockopt(fd, SocketCalls.SOL_SOCKET, name, address, address + 4));
        return got < 0 ? got : scratch.getInt(0);
    }

    /** The core on which the calling thread runs. */
    static int core() {
        return Math.max(-1, Libc.sched_getcpu());
    }
}
