package io.fdt.cli.ssh;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server on another host that the system's {@code ssh} has started for one session. Its standard input stays open
 * while the server is needed: when it ends, for whatever reason, a server without a session, or whose session has lost
 * its client, ends, too. Its standard error and ssh's own questions are shown here.
 *
 * @param sockets the directory of ssh's control socket; null without a tunnel
 * @param host the address for lanes
 */
public record RemoteServer(Process ssh, @Nullable Path sockets, String host, int port, Handover handover)
        implements AutoCloseable {
    private static final int MAX_LINE_CHARS = 16 << 10;
    private static final int MAX_LINES = 1_000;
    /** ssh's own failure; all other codes are those of the remote command. */
    static final int NOT_REACHED = 255;

    private static final int NO_SUCH_COMMAND = 127;
    private static final long GOODBYE_MS = 2_000;

    /**
     * Starts the server and waits until it is ready, which may include a password prompt. Throws if ssh or the remote
     * command cannot be run.
     *
     * @param meanwhile is called when ssh runs, and must return at once
     */
    public static RemoteServer start(SshSettings requested, Runnable meanwhile) {
        SshSettings settings = requested.bootstrap() ? Bootstrap.bring(requested) : requested;
        Path sockets = settings.tunnel() ? socketDirectory() : null;
        Process ssh = null;
        try {
            ssh = run(words(settings, sockets), Redirect.PIPE);
            InetSocketAddress lanes = settings.lanes();
            // Answers while the server starts.
            Process name = sockets != null || lanes != null ? null : askForName(settings);
            meanwhile.run();
            Handover handover = handover(ssh, settings);
            drain(ssh.getInputStream());
            if (sockets != null) {
                int tunnel = forward(settings, sockets, handover.port());
                return new RemoteServer(ssh, sockets, "127.0.0.1", tunnel, handover);
            }
            String host = lanes != null ? lanes.getHostString() : hostName(name, settings);
            return new RemoteServer(ssh, null, host, handover.port(), handover);
        } catch (RuntimeException | Error failed) {
            end(ssh);
            remove(sockets);
            throw failed;
        }
    }

    private static List<String> words(SshSettings settings, @Nullable Path sockets) {
        List<String> words = new ArrayList<>(settings.ssh());
        if (sockets != null) {
            // Share the connection, so that the tunnel can be added once the port is known, without a second login.
            words.addAll(List.of("-M", "-S", control(sockets), "-o", "ControlPersist=no"));
        }
        words.add(settings.host().destination());
        words.add(settings.remoteCommand() + " server --for-ssh" + (settings.hashing() ? "=hashing" : "") + " --quiet"
                + listen(settings));
        return words;
    }

    /** By default it listens where this ssh connection arrived. */
    private static String listen(SshSettings settings) {
        if (settings.tunnel()) {
            return " --listen 127.0.0.1:0";
        }
        InetSocketAddress lanes = settings.lanes();
        if (lanes == null) {
            return "";
        }
        return (lanes.getHostString().indexOf(':') >= 0 ? " --listen [::]:" : " --listen 0.0.0.0:") + lanes.getPort();
    }

    private static String control(Path sockets) {
        return sockets.resolve("control").toString();
    }

    private static Handover handover(Process ssh, SshSettings settings) {
        try {
            Reader out = new InputStreamReader(ssh.getInputStream(), StandardCharsets.UTF_8);
            for (int lines = 0; lines < MAX_LINES; lines++) {
                String line = line(out);
                if (line == null) {
                    throw ended(ssh.waitFor(), settings);
                }
                Handover handover = Handover.parse(line);
                if (handover != null) {
                    return handover;
                }
            }
            throw Cause.NO_REMOTE_FDT.failure(
                    settings.host().destination() + " prints too much text before fdt starts there");
        } catch (IOException e) {
            throw Cause.NO_SSH.failure(
                    "lost the ssh connection to " + settings.host().destination() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Cause.INTERRUPTED.failure("interrupted while ssh connected", e);
        }
    }

    /** Returns the next line without its newline, cut off if it is too long; null at the end of the output. */
    private static @Nullable String line(Reader out) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = out.read(); c != '\n'; c = out.read()) {
            if (c < 0) {
                return null;
            }
            if (line.length() < MAX_LINE_CHARS) {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Why there is no remote end, by the exit code of ssh. */
    static TransferException ended(int exitCode, SshSettings settings) {
        if (exitCode == NO_SUCH_COMMAND) {
            return Cause.USAGE.failure(settings.host().destination() + " has no command '" + settings.remoteCommand()
                    + "'; name the command that runs fdt there, for example --remote-command 'java -jar"
                    + " /opt/fdt/fdt.jar', or let fdt client bring it there with --bootstrap");
        }
        boolean reached = exitCode != NOT_REACHED;
        return (reached ? Cause.NO_REMOTE_FDT : Cause.NO_SSH)
                .failure((reached ? "fdt could not start at " : "ssh could not reach ")
                        + settings.host().destination() + " (" + settings.ssh().get(0) + " ended with " + exitCode
                        + ")");
    }

    /** Adds a tunnel to the running connection; returns the local port that leads to the remote port. */
    private static int forward(SshSettings settings, Path sockets, int port) {
        try {
            int local = freePort();
            List<String> words = new ArrayList<>(settings.ssh());
            words.addAll(List.of("-S", control(sockets), "-o", "ExitOnForwardFailure=yes", "-O", "forward"));
            words.addAll(List.of(
                    "-L",
                    "127.0.0.1:" + local + ":127.0.0.1:" + port,
                    settings.host().destination()));
            int exitCode = run(words, Redirect.DISCARD).waitFor();
            if (exitCode != 0) {
                throw Cause.NO_SSH.failure(
                        "ssh does not forward a port to " + settings.host().destination());
            }
            return local;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Cause.INTERRUPTED.failure("interrupted while ssh set up the tunnel", e);
        }
    }

    /**
     * Chooses a local port, because ssh cannot. If another process takes the port in between, ssh reports that, and the
     * copy can be repeated.
     */
    private static int freePort() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        } catch (IOException e) {
            throw Cause.CANNOT_CONNECT.failure("no free port for the tunnel: " + e.getMessage(), e);
        }
    }

    /** Has ssh print its configuration for the host; null if this ssh cannot. */
    private static @Nullable Process askForName(SshSettings settings) {
        List<String> words = new ArrayList<>(settings.ssh());
        words.addAll(List.of("-G", settings.host().destination()));
        try {
            return new ProcessBuilder(words)
                    .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the host name from ssh's configuration; the name as given if this ssh has not reported it. */
    private static String hostName(@Nullable Process asked, SshSettings settings) {
        String name = settings.host().host();
        if (asked == null) {
            return name;
        }
        try {
            try (BufferedReader out =
                    new BufferedReader(new InputStreamReader(asked.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (line.startsWith("hostname ")) {
                        name = line.substring("hostname ".length()).strip();
                    }
                }
            }
            return asked.waitFor() == 0 ? name : settings.host().host();
        } catch (IOException e) {
            return settings.host().host();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Cause.INTERRUPTED.failure("interrupted while ssh looked up a name", e);
        }
    }

    private static Process run(List<String> words, Redirect output) {
        try {
            return new ProcessBuilder(words)
                    .redirectOutput(output)
                    .redirectError(Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw Cause.NO_SSH.failure("cannot run " + words.get(0) + ": " + e.getMessage(), e);
        }
    }

    /** Reads and drops further output, so that nothing there waits for it to be read. */
    private static void drain(InputStream out) {
        Threads.start("fdt-ssh-output", () -> {
            try (out) {
                out.transferTo(OutputStream.nullOutputStream());
            } catch (IOException gone) {
                // The remote end has ended.
            }
        });
    }

    private static Path socketDirectory() {
        try {
            return Files.createTempDirectory(
                    "fdt-ssh", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw Cause.NO_SSH.failure("cannot create ssh's socket: " + e.getMessage(), e);
        }
    }

    private static void remove(@Nullable Path sockets) {
        if (sockets == null) {
            return;
        }
        try {
            Files.deleteIfExists(sockets.resolve("control"));
            Files.deleteIfExists(sockets);
        } catch (IOException left) {
            // An empty directory remains in the directory for temporary files.
        }
    }

    private static void end(@Nullable Process ssh) {
        if (ssh == null) {
            return;
        }
        try {
            ssh.getOutputStream().close();
        } catch (IOException gone) {
            // ssh has already closed its input.
        }
        try {
            if (!ssh.waitFor(GOODBYE_MS, TimeUnit.MILLISECONDS)) {
                ssh.destroy();
            }
        } catch (InterruptedException e) {
            ssh.destroy();
            Thread.currentThread().interrupt();
        }
    }

    /** Closes its standard input, and waits a little for its end. */
    @Override
    public void close() {
        end(ssh);
        remove(sockets);
    }
}
