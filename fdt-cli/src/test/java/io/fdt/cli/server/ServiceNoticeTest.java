package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.Await;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notices to the service manager, received by a real datagram socket. */
class ServiceNoticeTest {
    @TempDir
    Path directory;

    /** A socket that is bound to a path or, with a leading @, to an abstract name. */
    static final class Manager implements AutoCloseable {
        private static final int AF_UNIX = 1;
        private static final int SOCK_DGRAM = 2;
        private static final int SOL_SOCKET = 1;
        private static final int SO_RCVTIMEO = 20;
        private static final int MAX_BYTES = 1 << 15;

        private final int fd = Libc.socket(AF_UNIX, SOCK_DGRAM, 0);

        Manager(String name) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            ByteBuffer address = direct(2 + bytes.length + 1);
            address.putShort(0, (short) AF_UNIX).put(2, bytes);
            if (name.startsWith("@")) {
                address.put(2, (byte) 0);
            }
            ByteBuffer limit = direct(16).putLong(0, Await.LIMIT_SECONDS);
            assertThat(Libc.bind(
                            fd, Libc.addressOf(address), name.startsWith("@") ? 2 + bytes.length : 3 + bytes.length))
                    .isZero();
            assertThat(Libc.setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, Libc.addressOf(limit), 16))
                    .isZero();
        }

        private static ByteBuffer direct(int bytes) {
            return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        }

        /** Returns the next datagram, or an empty string if none arrives in time. */
        String next() {
            ByteBuffer data = direct(MAX_BYTES);
            long length = Libc.recv(fd, Libc.addressOf(data), MAX_BYTES, 0);
            return length < 0
                    ? ""
                    : StandardCharsets.UTF_8.decode(data.limit((int) length)).toString();
        }

        @Override
        public void close() {
            Libc.close(fd);
        }
    }

    private static ServiceNotice notice(String socket) {
        return ServiceNotice.of(Map.of("NOTIFY_SOCKET", socket));
    }

    @Test
    void tellsTheSocketOfAPath() {
        String name = directory.resolve("notify").toString();
        try (Manager manager = new Manager(name)) {
            notice(name).ready();
            notice(name).stopping();

            assertThat(manager.next()).isEqualTo("READY=1\n");
            assertThat(manager.next()).isEqualTo("STOPPING=1\n");
        }
    }

    @Test
    void tellsTheSocketOfAnAbstractName() {
        String name = "@fdt-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        try (Manager manager = new Manager(name)) {
            notice(name).ready();

            assertThat(manager.next()).isEqualTo("READY=1\n");
        }
    }

    @Test
    void serverTellsThatItIsReady() {
        String name = directory.resolve("notify").toString();
        try (Manager manager = new Manager(name)) {
            CommandRun run = new CommandRun().environment("NOTIFY_SOCKET", name);

            assertThat(run.run("server")).isZero();

            assertThat(manager.next()).isEqualTo("READY=1\n");
        }
    }

    @Test
    void missingServiceManagerIsIgnored() {
        notice(directory.resolve("nobody").toString()).ready();
        notice("/" + "x".repeat(200)).ready();
        notice("vsock:2:1234").ready();
        ServiceNotice.of(Map.of()).ready();

        assertThat(ServiceNotice.Datagrams.send(
                        io.fdt.core.plan.RawPath.ofText(
                                directory.resolve("nobody").toString()),
                        new byte[1]))
                .isFalse();
    }
}
