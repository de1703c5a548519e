package io.fdt.cli.ssh;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Brings this fdt to a host that has none: into the user's cache directory there, over ssh. An fdt that was unpacked
 * with its Java runtime brings that along; any other brings the jar, which needs Java there. The directory is named
 * after the jar's digest, so the next copy finds it, and the host checks the digest of what it receives.
 *
 * <p>For one thread.
 */
final class Bootstrap {
    private static final String MARK = "fdt-bootstrap ";
    private static final int MAX_LINES = 1_000;

    /** Where it lies there, for the shell of any user; KEY is in hexadecimal. */
    private static final String PLACE = "\"${XDG_CACHE_HOME:-$HOME/.cache}/fdt/bootstrap/KEY\"";

    /**
     * Answers whether the files are there. Otherwise it reads their digest and then the files, and gives them their
     * place only if all is well, unless another copy was first: that one may run from there. It may contain no single
     * quote.
     */
    private static final String RECEIVE = String.join(
            "; ",
            "d=" + PLACE,
            "have() { [ -e \"$d/complete\" ] CHECK",
            "}",
            "if have",
            "then echo " + MARK + "have",
            "exit 0",
            "fi",
            "echo " + MARK + "$(uname -m)",
            "read -r sum && umask 077 && n=\"$d.$$\" && mkdir -p \"$n\" || exit 1",
            "cat >\"$n/fdt.jar\" && cd \"$n\" && echo \"$sum  fdt.jar\" | sha256sum -c --status - && UNPACK"
                    + " : >complete && { mv -T \"$n\" \"$d\" 2>/dev/null || have"
                    + " || { rm -rf \"$d\" && mv -T \"$n\" \"$d\"; }; }",
            "result=$?",
            "rm -rf \"$n\"",
            "exit $result");

    /** The jar's digest is the key. What has a Java runtime is checked only when it arrives. */
    private static final String CHECK = "&& (cd \"$d\" && echo \"KEY  fdt.jar\" | sha256sum -c --status -)";

    private static final String UNPACK = "tar -xzf fdt.jar && rm fdt.jar &&";

    private final SshSettings settings;
    private final Path jar;
    private final boolean withRuntime;

    private Bootstrap(SshSettings settings, Path jar) {
        this.settings = settings;
        this.jar = jar;
        this.withRuntime = Files.isExecutable(jar.resolveSibling("runtime/bin/java")) && Files.isExecutable(launcher());
    }

    /** Returns the settings with the command that runs the files there. */
    static SshSettings bring(SshSettings settings) {
        try {
            Path own = Path.of(Bootstrap.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return bring(settings, own);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static SshSettings bring(SshSettings settings, Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw Cause.USAGE.failure("--bootstrap needs fdt from a jar; this one runs from " + jar);
        }
        Bootstrap bootstrap = new Bootstrap(settings, jar);
        try {
            return settings.with(bootstrap.brought());
        } catch (IOException e) {
            throw bootstrap.failed(TransferException.reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Cause.INTERRUPTED.failure("interrupted while fdt was copied to " + bootstrap.host(), e);
        }
    }

    private Path launcher() {
        return jar.resolveSibling("../bin/fdt").normalize();
    }

    private String host() {
        return settings.host().destination();
    }

    private TransferException ended(int exitCode, String why) {
        return exitCode == RemoteServer.NOT_REACHED ? RemoteServer.ended(exitCode, settings) : failed(why);
    }

    private TransferException failed(String why) {
        return Cause.NO_REMOTE_FDT.failure("cannot bring fdt to " + host() + ": " + why);
    }

    /** Returns the command that runs fdt there. */
    private String brought() throws IOException, InterruptedException {
        String key = digest(jar) + (withRuntime ? "-" + machine() : "");
        String place = PLACE.replace("KEY", key);
        Process ssh = start(RECEIVE.replace("CHECK", withRuntime ? "" : CHECK)
                .replace("UNPACK", withRuntime ? UNPACK : "")
                .replace("KEY", key));
        try (OutputStream in = ssh.getOutputStream();
                BufferedReader out =
                        new BufferedReader(new InputStreamReader(ssh.getInputStream(), StandardCharsets.UTF_8))) {
            String answer = answer(out, ssh);
            if (!answer.equals("have")) {
                if (withRuntime && !answer.equals(machine())) {
                    throw failed("it is " + answer + ", and this fdt has the Java runtime of " + machine()
                            + "; install fdt there, or use --bootstrap with fdt.jar");
                }
                send(in);
            }
        }
        int exitCode = ssh.waitFor();
        if (exitCode != 0) {
            throw ended(exitCode, "the files did not arrive as they were sent; check the space in ~/.cache there");
        }
        String run = withRuntime ? place + "/bin/fdt" : "java -jar " + place + "/fdt.jar";
        return "sh -c 'exec " + run + " \"$@\"' fdt";
    }

    private Process start(String script) throws IOException {
        List<String> words = new ArrayList<>(settings.ssh());
        words.add(host());
        words.add("sh -c '" + script + "'");
        return new ProcessBuilder(words).redirectError(Redirect.INHERIT).start();
    }

    /** Skips what the host prints at each login. */
    private String answer(BufferedReader out, Process ssh) throws IOException, InterruptedException {
        for (int lines = 0; lines < MAX_LINES; lines++) {
            String line = out.readLine();
            if (line == null) {
                throw ended(ssh.waitFor(), "ssh ended before it answered; see above what it says");
            }
            if (line.startsWith(MARK)) {
                return line.substring(MARK.length()).strip();
            }
        }
        throw failed("it prints too much text before it answers; let its login scripts print less");
    }

    private void send(OutputStream in) throws IOException, InterruptedException {
        Path archive = withRuntime ? Files.createTempFile("fdt-bootstrap", ".tar.gz") : jar;
        try {
            if (withRuntime) {
                pack(archive);
            }
            in.write((digest(archive) + "\n").getBytes(StandardCharsets.US_ASCII));
            Files.copy(archive, in);
        } finally {
            if (withRuntime) {
                Files.delete(archive);
            }
        }
    }

    /** The archive of classes fits this host only. */
    private void pack(Path archive) throws IOException, InterruptedException {
        Path prefix = launcher().resolveSibling("..").normalize();
        int exitCode = new ProcessBuilder(
                        "tar", "-C", prefix.toString(), "-czf", archive.toString(), "--exclude=fdt.jsa", "bin", "lib")
                .redirectError(Redirect.INHERIT)
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw failed("tar ended with " + exitCode);
        }
    }

    /** As {@code uname -m} prints it. */
    private static String machine() {
        String arch = System.getProperty("os.arch");
        return arch.equals("amd64") ? "x86_64" : arch;
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha256)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(sha256.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
