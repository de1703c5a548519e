package io.fdt.system;

import io.fdt.core.FreePort;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The system's {@code sshd} on a loopback port, which admits one user with one key. Stopped after the test. */
final class SshServer implements AutoCloseable {
    private static final Path SSHD = Path.of("/usr/sbin/sshd");

    private final Process sshd;
    private final int port;
    private final Path directory;

    private SshServer(Process sshd, int port, Path directory) {
        this.sshd = sshd;
        this.port = port;
        this.directory = directory;
    }

    static SshServer start(Path directory) {
        return start(directory, "");
    }

    /** @param setting a further line of its configuration */
    static SshServer start(Path directory, String setting) {
        try {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            for (String name : List.of("host", "user")) {
                Shell.ok("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory.resolve(name));
            }
            // It needs the directory for its unprivileged part, which a system service would have created.
            Files.createDirectories(Path.of("/run/sshd"));
            int port = FreePort.next();
            Path config = Files.writeString(
                    directory.resolve("config"),
                    String.join(
                            "\n",
                            "ListenAddress 127.0.0.1:" + port,
                            "HostKey " + directory.resolve("host"),
                            "AuthorizedKeysFile " + directory.resolve("user.pub"),
                            "PidFile none",
                            "StrictModes no",
                            "UsePAM no",
                            "PasswordAuthentication no",
                            "PermitRootLogin yes",
                            "AllowTcpForwarding local",
                            setting,
                            ""));
            Process sshd = new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", config.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            SshServer server = new SshServer(sshd, port, directory);
            Await.until("sshd listens", Workplace.LIMIT, server::answers);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            if (!sshd.isAlive()) {
                throw new AssertionError("sshd has ended: " + Trees.text(directory.resolve("log")));
            }
            return false;
        }
    }

    /**
     * The ssh command that connects to this server: the program, its port, the key, and a separate known-hosts file.
     */
    String command() {
        return "ssh -F none -p " + port + " -i " + directory.resolve("user")
                + " -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="
                + directory.resolve("known_hosts");
    }

    String user() {
        return System.getProperty("user.name");
    }

    @Override
    public void close() {
        sshd.destroy();
        Await.until("sshd has ended", Workplace.LIMIT, () -> !sshd.isAlive());
    }
}
