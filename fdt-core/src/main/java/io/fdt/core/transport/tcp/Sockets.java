package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/**
 * Socket calls for what Netty does not offer: by the {@link Libc}, and those that move bytes by {@link NativeCode}
 * where it is there. Every call returns what the kernel returns: a value of zero or more, or the negated errno. Data
 * travels by plain addresses, so that nothing is allocated. Numbers are those of Linux on x86-64 and aarch64.
 */
final class Sockets {
    static final int EINTR = 4;
    static final int EAGAIN = 11;

    /** The bytes are dropped, not copied. */
    static final int MSG_TRUNC = 0x20;

    /** This call does not wait, even on a descriptor that blocks. */
    static final int MSG_DONTWAIT = 0x40;

    static final int SO_INCOMING_CPU = 49;
    static final int SO_INCOMING_NAPI_ID = 56;

    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 04000;
    private static final int SOL_SOCKET = 1;
    private static final int SHUT_WR = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int SO_MAX_PACING_RATE = 47;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int TCP_NOTSENT_LOWAT = 25;
    private static final int TIMEVAL_BYTES = 16;

    private Sockets() {}

    static int sendFrom(int fd, long address, int length, int flags) {
        return (int) Libc.result(Libc.send(fd, address, length, MSG_NOSIGNAL | flags));
    }

    static int receiveInto(int fd, long address, int length, int flags) {
        return (int) Libc.result(Libc.recv(fd, address, length, flags));
    }

    /** From now on calls wait, unless they say that they do not. */
    static int setBlocking(int fd) {
        int flags = Libc.result(Libc.fcntl(fd, F_GETFL, 0));
        return flags < 0 ? flags : Libc.result(Libc.fcntl(fd, F_SETFL, flags & ~O_NONBLOCK));
    }

    /** How long a blocking call waits; 0 for ever. */
    static int setTimeouts(int fd, ByteBuffer scratch, long timeoutMs) {
        scratch.putLong(0, timeoutMs / 1000).putLong(8, timeoutMs % 1000 * 1000);
        long address = Libc.addressOf(scratch);
        int set = Libc.result(Libc.setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, address, TIMEVAL_BYTES));
        return set < 0 ? set : Libc.result(Libc.setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, address, TIMEVAL_BYTES));
    }

    /** The most that TCP sends in a second, spaced evenly; needs no queueing discipline. */
    static int setPace(int fd, ByteBuffer scratch, long bytesPerSecond) {
        scratch.putLong(0, bytesPerSecond);
        return Libc.result(Libc.setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, Libc.addressOf(scratch), Long.BYTES));
    }

    /** How much of what is sent may wait for the network beside what is under way. */
    static int setUnsentLimit(int fd, ByteBuffer scratch, int bytes) {
        scratch.putInt(0, bytes);
        return Libc.result(Libc.setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, Libc.addressOf(scratch), Integer.BYTES));
    }

    static int endSending(int fd) {
        return Libc.result(Libc.shutdown(fd, SHUT_WR));
    }

    /** Fills the memory with the kernel's {@code struct tcp_info}. */
    static int tcpInfo(int fd, long address, long lengthAddress) {
        return Libc.result(Libc.getsockopt(fd, IPPROTO_TCP, TCP_INFO, address, lengthAddress));
    }

    /** A socket's option of one number. The scratch has room for two. */
    static int option(int fd, int name, ByteBuffer scratch) {
        scratch.putInt(0, 0).putInt(4, Integer.BYTES);
        long address = Libc.addressOf(scratch);
        int got = Libc.result(Libc.getsockopt(fd, SOL_SOCKET, name, address, address + 4));
        return got < 0 ? got : scratch.getInt(0);
    }

    /** The one that the calling thread runs on. */
    static int core() {
        return Math.max(-1, Libc.sched_getcpu());
    }
}
