package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.fdt.cli.CommandRun;
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
        private static final int LIMIT_SECONDS = 10;

        static {
            Native.register(Manager.class, NativeLibrary.getProcess());
        }

        private final int fd;

        Manager(String name) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            Memory address = new Memory(2 + bytes.length + 1);
            address.clear();
            address.setShort(0, (short) AF_UNIX);
            address.write(2, bytes, 0, bytes.length);
            if (name.startsWith("@")) {
                address.setByte(2, (byte) 0);
            }
            Memory limit = new Memory(16);
            limit.setLong(0, LIMIT_SECONDS);
            limit.setLong(8, 0);
            this.fd = socket(AF_UNIX, SOCK_DGRAM, 0);
            assertThat(bind(fd, address, name.startsWith("@") ? 2 + bytes.length : 3 + bytes.length))
                    .isZero();
            assertThat(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, limit, 16)).isZero();
        }

        /** Returns the next datagram, or an empty string if none arrives in time. */
        String next() {
            Memory data = new Memory(256);
            long length = recv(fd, data, 256, 0);
            return length < 0 ? "" : new String(data.getByteArray(0, (int) length), StandardCharsets.UTF_8);
        }

        @Override
        public void close() {
            close(fd);
        }

        private static native int socket(int domain, int type, int protocol);

        private static native int bind(int fd, Pointer address, int length);

        private static native int setsockopt(int fd, int level, int name, Pointer value, int length);

        private static native long recv(int fd, Pointer data, long length, int flags);

        private static native int close(int fd);
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
    void managerThatIsNotThereHoldsNothingUp() {
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
