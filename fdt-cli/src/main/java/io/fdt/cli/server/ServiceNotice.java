package io.fdt.cli.server;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Notifies the service manager of the state of the service, as sd_notify(3) does: with a datagram to the socket that is
 * named in {@code NOTIFY_SOCKET}. Without that variable, does nothing and loads nothing. Thread-safe.
 */
record ServiceNotice(String socket) {
    static ServiceNotice of(Map<String, String> environment) {
        return new ServiceNotice(environment.getOrDefault("NOTIFY_SOCKET", ""));
    }

    /** Whether a service manager has started this process. */
    boolean isHeard() {
        return !socket.isEmpty();
    }

    void ready() {
        send("READY=1\n");
    }

    /** The service accepts no more work and ends. */
    void stopping() {
        send("STOPPING=1\n");
    }

    /** A failure is ignored: a manager that does not listen watches the process anyway. */
    private void send(String message) {
        // A path, or an abstract name.
        if (socket.startsWith("/") || socket.startsWith("@")) {
            Datagrams.send(RawPath.ofText(socket), message.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Calls the C library; loaded only if there is a service manager. */
    static final class Datagrams {
        private static final int AF_UNIX = 1;
        private static final int SOCK_DGRAM_CLOEXEC = 2 | 02000000;
        private static final int MSG_NOSIGNAL = 0x4000;
        /** Do not wait: a manager with a full queue must not block the service. */
        private static final int MSG_DONTWAIT = 0x40;

        private static final int FAMILY_BYTES = 2;
        private static final int MAX_NAME_BYTES = 107;

        private Datagrams() {}

        /** Whether the kernel accepted the message. */
        static boolean send(RawPath name, byte[] message) {
            if (name.lengthBytes() > MAX_NAME_BYTES) {
                return false;
            }
            ByteBuffer address =
                    ByteBuffer.allocateDirect(FAMILY_BYTES + MAX_NAME_BYTES + 1).order(ByteOrder.nativeOrder());
            address.putShort((short) AF_UNIX);
            name.putTo(address);
            boolean isAbstract = address.get(FAMILY_BYTES) == '@';
            if (isAbstract) {
                address.put(FAMILY_BYTES, (byte) 0);
            }
            // A path includes its NUL; in an abstract name, every byte counts.
            int addressBytes = FAMILY_BYTES + name.lengthBytes() + (isAbstract ? 0 : 1);
            ByteBuffer data = ByteBuffer.allocateDirect(message.length).put(message);
            int fd = Libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
            if (fd < 0) {
                return false;
            }
            try {
                return Libc.sendto(
                                fd,
                                Libc.addressOf(data),
                                message.length,
                                MSG_NOSIGNAL | MSG_DONTWAIT,
                                Libc.addressOf(address),
                                addressBytes)
                        == message.length;
            } finally {
                Libc.close(fd);
            }
        }
    }
}
