package io.fdt.core.transport.local;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * System calls for {@link PassingSocket}, through {@link Libc}. Every call returns the result of the kernel: a value of
 * zero or more, or the negated errno. Numbers are those of Linux on x86-64 and aarch64. Calls with structures build
 * them in memory of their own.
 */
final class Kernel {
    static final int EPIPE = 32;
    static final int ECONNRESET = 104;

    private static final int POLLIN = 0x1;
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int CLOEXEC = 02000000;
    private static final int SO_PEERCRED = 17;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_CTRUNC = 0x8;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int POLLFD_BYTES = 8;

    // struct msghdr, struct iovec and struct cmsghdr with one descriptor, one after the other.
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROL_LENGTH = 40;
    private static final int MSG_FLAGS = 48;
    private static final int IOVEC = 56;
    private static final int CMSG = 72;
    private static final int CMSG_ONE_DESCRIPTOR = 20;
    private static final int MESSAGE_BYTES = 96;

    private Kernel() {}

    static ByteBuffer memory(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    static String reason(int errno) {
        return switch (errno) {
            case EPIPE, ECONNRESET -> "it was closed by the peer";
            default -> Libc.strerror(errno);
        };
    }

    // ---- Sockets.

    static int newSocket() {
        return Libc.result(Libc.socket(AF_UNIX, SOCK_STREAM | CLOEXEC, 0));
    }

    /** Binds to a name in the abstract namespace, and listens. */
    static int listenAt(int fd, String name, int backlog) {
        ByteBuffer address = abstractAddress(name);
        int bound = Libc.result(Libc.bind(fd, Libc.addressOf(address), address.capacity()));
        return bound < 0 ? bound : Libc.result(Libc.listen(fd, backlog));
    }

    static int connectTo(int fd, String name) {
        ByteBuffer address = abstractAddress(name);
        return Libc.result(Libc.connect(fd, Libc.addressOf(address), address.capacity()));
    }

    private static ByteBuffer abstractAddress(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        return memory(3 + bytes.length)
                .putShort((short) AF_UNIX)
                .put((byte) 0)
                .put(bytes)
                .clear();
    }

    static int acceptFrom(int fd) {
        return Libc.result(Libc.accept4(fd, 0, 0, CLOEXEC));
    }

    /** The process at the other end, as the kernel reports it. */
    record Peer(int pid, int uid) {}

    /** Never throws: if the peer is unknown, its user is -1, which matches no user. */
    static Peer peerOf(int fd) {
        ByteBuffer credentials = memory(16);
        credentials.putInt(12, 12);
        long address = Libc.addressOf(credentials);
        return Libc.getsockopt(fd, SocketCalls.SOL_SOCKET, SO_PEERCRED, address, address + 12) < 0
                ? new Peer(0, -1)
                : new Peer(credentials.getInt(0), credentials.getInt(4));
    }

    static int sendWith(int fd, ByteBuffer bytes, int descriptor) {
        ByteBuffer message = message(bytes);
        message.putLong(CMSG, CMSG_ONE_DESCRIPTOR)
                .putInt(CMSG + 8, SocketCalls.SOL_SOCKET)
                .putInt(CMSG + 12, SCM_RIGHTS)
                .putInt(CMSG + 16, descriptor);
        return (int) Libc.result(Libc.sendmsg(fd, Libc.addressOf(message), SocketCalls.MSG_NOSIGNAL));
    }

    /** The received bytes and the descriptor, which is -1 if none was received. */
    record Received(int count, int descriptor) {}

    /** Receives up to the remaining bytes of the buffer, and up to one descriptor. */
    static Received receiveWith(int fd, ByteBuffer bytes) {
        ByteBuffer message = message(bytes);
        int count = (int) Libc.result(Libc.recvmsg(fd, Libc.addressOf(message), MSG_CMSG_CLOEXEC));
        boolean one = count >= 0
                && message.getLong(MSG_CONTROL_LENGTH) >= CMSG_ONE_DESCRIPTOR
                && message.getInt(CMSG + 8) == SocketCalls.SOL_SOCKET
                && message.getInt(CMSG + 12) == SCM_RIGHTS;
        int descriptor = one ? message.getInt(CMSG + 16) : -1;
        if (one && (message.getInt(MSG_FLAGS) & MSG_CTRUNC) != 0) {
            Libc.close(descriptor);
            descriptor = -1;
        }
        return new Received(count, descriptor);
    }

    private static ByteBuffer message(ByteBuffer bytes) {
        ByteBuffer message = memory(MESSAGE_BYTES);
        long address = Libc.addressOf(message);
        message.putLong(16, address + IOVEC)
                .putLong(24, 1)
                .putLong(MSG_CONTROL, address + CMSG)
                .putLong(MSG_CONTROL_LENGTH, CMSG_ONE_DESCRIPTOR)
                .putLong(IOVEC, Libc.addressOf(bytes))
                .putLong(IOVEC + 8, bytes.capacity());
        return message;
    }

    // ---- Waiting.

    /** Memory for {@link #awaitReadable}. */
    static ByteBuffer pollMemory() {
        return memory(POLLFD_BYTES);
    }

    /** Returns 1 if the descriptor can be read or has failed, and 0 after the timeout. */
    static int awaitReadable(ByteBuffer polled, int fd, long timeoutMs) {
        polled.putInt(0, fd).putInt(4, POLLIN);
        return Libc.result(Libc.poll(Libc.addressOf(polled), 1, (int) Math.min(timeoutMs, Integer.MAX_VALUE)));
    }
}
