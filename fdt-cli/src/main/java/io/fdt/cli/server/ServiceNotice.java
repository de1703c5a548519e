package io.fdt.cli.server;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Tells the service manager how the service is, as sd_notify(3) does: a datagram to the socket that it named in
 * {@code NOTIFY_SOCKET}. Without that, nothing happens and nothing is loaded. Thread-safe.
 */
record ServiceNotice(String socket) {
    static ServiceNotice of(Map<String, String> environment) {
        return new ServiceNotice(environment.getOrDefault("NOTIFY_SOCKET", ""));
    }

    /** The service can be used. */
    void ready() {
        send("READY=1\n");
    }

    /** It takes no more work and ends. */
    void stopping() {
        send("STOPPING=1\n");
    }

    /** A failure is ignored: a manager that does not listen watches the process anyway. */
    private void send(String message) {
        // A path, or a name that is in no file system.
        if (socket.startsWith("/") || socket.startsWith("@")) {
            Datagrams.send(RawPath.ofText(socket), message.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** The C library's calls; loaded only where there is someone to tell. */
    static final class Datagrams {
        private static final int AF_UNIX = 1;
        private static final int SOCK_DGRAM_CLOEXEC = 2 | 02000000;
        private static final int MSG_NOSIGNAL = 0x4000;
        /** This call does not wait: a manager with a full queue must not hold up the service. */
        private static final int MSG_DONTWAIT = 0x40;

        private static final int FAMILY_BYTES = 2;
        private static final int MAX_NAME_BYTES = 107;

        private Datagrams() {}

        /** Whether the kernel took it. */
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
            // A path goes with its NUL; every byte of an abstract name counts.
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
