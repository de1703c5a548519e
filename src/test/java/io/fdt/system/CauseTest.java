package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.failure.Cause;
import io.fdt.core.run.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each cause of the table by one real failure: its remedy is the only one, in the text and in the JSON. */
final class CauseTest {
    private static final long MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** What another test shows: it needs a peer, a file system or a moment that is hard to have here. */
    private static final Set<Cause> SHOWN_ELSEWHERE = EnumSet.of(
            Cause.INTERNAL,
            Cause.UNKNOWN,
            Cause.SOURCE,
            Cause.TARGET,
            Cause.CHANGED,
            Cause.QUOTA,
            Cause.NO_MEMORY,
            Cause.INTEGRITY,
            Cause.REFUSED,
            Cause.REVOKED,
            Cause.NO_SESSION,
            Cause.CANNOT_CONNECT,
            Cause.NO_ROUTE,
            Cause.UNAVAILABLE,
            Cause.CONNECTION_LOST,
            Cause.SHARE_USED_UP,
            Cause.HOST_LIMIT,
            Cause.BUSY,
            Cause.VERSION,
            Cause.MALFORMED,
            Cause.INTERRUPTED,
            Cause.TERMINATED);

    static Stream<Cause> shownHere() {
        return EnumSet.complementOf(EnumSet.copyOf(SHOWN_ELSEWHERE)).stream();
    }

    @ParameterizedTest
    @MethodSource("shownHere")
    void failureHasTheWordTheCodeAndTheRemedyOfItsCause(Cause cause) throws IOException {
        Outcome failed = failBecauseOf(cause);
        String line = failed.err().get(failed.err().size() - 1);
        List<Map<String, Object>> errors = failed.jsonOfType("error");
        assertThat(errors).as(line).hasSize(1);
        assertThat(errors.get(0))
                .as(line)
                .containsEntry("cause", cause.word())
                .containsEntry("exit_code", (long) cause.exitCode())
                .containsEntry("retry", cause.isRepeated(true))
                .containsKeys("place", "path", "errno", "message");
        assertThat(failed.exitCode()).isEqualTo(cause.exitCode());
        assertThat(line).endsWith(errors.get(0).get("message") + remedyIn(cause, errors.get(0)));
    }

    /** The remedy of the table, unless the failure has one of its own, with figures. */
    private static String remedyIn(Cause cause, Map<String, Object> error) {
        return switch (cause) {
            case USAGE -> "";
            case NO_SPACE, LIMIT, NO_ANSWER, NO_KEY, SOME_FILES_FAILED -> "; " + error.get("remedy");
            default -> "; " + cause.remedy();
        };
    }

    /** fdt's own files are not those that the user copies: a full file system for them is a limit of this host. */
    @Test
    void aFullHomeIsNotBadUsage() {
        Path full = mount("size=64k");
        Shell.run("dd", "if=/dev/zero", "of=" + full.resolve("all"), "bs=4k");
        at.environment("FDT_HOME", full.toString());
        Outcome failed = at.fdt("key", "create", "guest").expectExit(10);
        assertThat(failed.errText()).contains("No space left on device; free space there, or set FDT_HOME");

        List<Object> words = new ArrayList<>(List.of("env", "-i", "XDG_CACHE_HOME=" + full, "FDT_HOME=" + at.home()));
        words.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java"), "-Djava.io.tmpdir=" + full));
        words.addAll(List.of("-jar", Workplace.jar(), "client", source(), at.path("target/")));
        Shell.Result unpacking = Shell.run(words.toArray());
        assertThat(unpacking.exitCode()).as(unpacking.err()).isEqualTo(10);
        assertThat(unpacking.err()).contains("No space left on device; free space there, or set XDG_CACHE_HOME");
    }

    /** There is nothing to resume. */
    @Test
    void aLostNetworkTestIsRunAgain() {
        FdtServer server = at.server();
        FdtProcess test = at.start("nettest", "nettest", "--json", "--duration", "10m", "127.0.0.1:" + server.port());
        test.awaitLine(Workplace.LIMIT, text -> text.contains("\"interval\""));
        server.process().killHard();
        Outcome lost = test.await(Workplace.LIMIT).expectExit(9);
        assertThat(lost.jsonOfType("error"))
                .singleElement()
                .satisfies(error -> assertThat(error).containsEntry("remedy", "run it again"));
        assertThat(lost.errText()).doesNotContain("resume");
    }

    private Outcome failBecauseOf(Cause cause) throws IOException {
        return switch (cause) {
            case NO_MATCH -> at.copy(at.server().url("/no*"), at.path("target/"));
            case UNREADABLE -> {
                Path source = source();
                Shell.ok("chmod", "0", source);
                yield unprivileged(source, at.path("target/"));
            }
            case MISSING -> at.copy(at.path("nothing"), at.path("target/"));
            case USAGE -> at.copy("--no-such-option", source(), at.path("target/"));
            case SOME_FILES_FAILED -> {
                Path two = at.directory("source");
                Trees.file(two.resolve("file"), 10, 1);
                Trees.file(two.resolve("other"), 10, 2);
                Path there = Trees.file(at.path("target/file"), 7, 3);
                yield at.copy("--existing", "fail", two + "/", there.getParent());
            }
            case REFUSED_CONNECTION -> at.copy("fdt://127.0.0.1:" + unusedPort() + "/x", at.path("target/"));
            case NO_ANSWER -> {
                ServerSocket silent = at.closing(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()));
                yield at.copy("--timeout", "2s", "fdt://127.0.0.1:" + silent.getLocalPort() + "/x", at.path("target/"));
            }
            case NOT_FDT -> {
                ServerSocket other = at.closing(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()));
                Threads.start("other-service", () -> sayOtherThings(other));
                yield at.copy("fdt://127.0.0.1:" + other.getLocalPort() + "/x", at.path("target/"));
            }
            case NO_RDMA -> at.copy("--transport", "rdma", source(), at.server().url("/x"));
            case LIMIT -> {
                Trees.file(at.path("target/extra"), 7, 3);
                yield at.copy("--max-delete", "0", "--delete", at.directory("empty") + "/", at.path("target"));
            }
            case EXPIRED -> {
                String key = createKey("--expires", "1s");
                FdtServer server = at.server();
                Shell.ok("sleep", "2");
                yield copyWith(key, server.url("/x"), at.path("target/"));
            }
            case READ_ONLY_KEY ->
                copyWith(
                        createKey("--allow", "list,read"), source(), at.server().url("/x"));
            case SOURCE_LOOP -> at.copy(loop() + "/file", at.path("target/"));
            case PATH_TOO_LONG -> {
                String deep =
                        "cd \"$1\"; for i in $(seq 20); do d=$(printf '%0250d' 0); mkdir $d; cd $d; done; echo x > f";
                Path source = at.directory("source");
                Shell.ok("bash", "-c", deep, "bash", source);
                yield at.copy(source + "/", at.path("target"));
            }
            case SOURCE_IO_ERROR -> at.copy(damagedDisk().resolve("file"), at.path("target/"));
            case NO_SPACE -> {
                Path full = mount("size=64k");
                Shell.run("dd", "if=/dev/zero", "of=" + full.resolve("all"), "bs=4k");
                yield at.copy(source(), full);
            }
            case READ_ONLY_FILE_SYSTEM -> at.copy(source(), mount("ro"));
            case PERMISSION -> {
                Path target = at.directory("target");
                Shell.ok("chmod", "0555", target);
                yield unprivileged(source(), target);
            }
            case EXISTS -> at.copy("--existing", "fail", source(), Trees.file(at.path("target/file"), 7, 2));
            case OTHER_KIND -> {
                Shell.ok("mkfifo", at.directory("target").resolve("file"));
                yield at.copy(source(), at.path("target/"));
            }
            case TARGET_LOOP -> at.copy(source(), loop() + "/");
            case NAME_TOO_LONG -> at.copy(source(), at.path("x".repeat(300)));
            case FILE_TOO_LARGE -> {
                String limited = "ulimit -f 4000; exec \"$@\"";
                Path large = Trees.file(at.path("source/large"), 20 * MIB, 1);
                yield throughBash(limited, "client", "--json", large, at.path("target"));
            }
            case IO_ERROR -> at.copy(source(), damagedDisk().resolve("directory/below/"));
            case READER_GONE -> {
                Path large = Trees.file(at.path("remote/large"), 20 * MIB, 1);
                String gone = "\"$@\" 3> >(head -c 10 > /dev/null)";
                yield throughBash(gone, "client", "--json", at.server().url("/" + large.getFileName()), "/dev/fd/3");
            }
            case NO_RECORD -> at.copy("--receipt", at.path("missing/receipt"), source(), at.path("target/"));
            case NO_KEY -> {
                FdtServer server = at.server();
                at.environment("FDT_HOME", at.path("home-without-keys").toString());
                yield at.copy(server.url("/x"), at.path("target/"));
            }
            case UNKNOWN_KEY -> {
                FdtServer server = at.server();
                String key = createKey();
                at.fdt("key", "revoke", "guest").expectExit(0);
                yield copyWith(key, server.url("/x"), at.path("target/"));
            }
            case OTHER_SERVER -> {
                String key = createKey();
                at.environment("FDT_HOME", at.path("other-home").toString());
                yield copyWith(key, at.server().url("/x"), at.path("target/"));
            }
            case READ_ONLY_SERVER -> at.copy(source(), at.server("--read-only").url("/x"));
            case NO_RIGHT -> copyWith(createKey("--allow", "list"), at.server().url("/x"), at.path("target/"));
            case OUTSIDE_ROOT -> at.copy(at.server().url("/../x"), at.path("target/"));
            case UNKNOWN_HOST -> at.copy("fdt://no-such-host.invalid/x", at.path("target/"));
            case NO_SSH -> {
                SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
                String otherKey = sshd.command().replace("sshd/user", "sshd/host");
                yield at.copy("--ssh", otherKey, sshd.user() + "@127.0.0.1:/x", at.path("target/"));
            }
            case NO_REMOTE_FDT -> {
                SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
                String far = sshd.user() + "@127.0.0.1:/x";
                yield at.copy("--ssh", sshd.command(), "--remote-command", "false", far, at.path("target/"));
            }
            default -> throw new IllegalStateException(cause + " is shown elsewhere");
        };
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            return taken.getLocalPort();
        }
    }

    private static void sayOtherThings(ServerSocket other) {
        try (Socket connected = other.accept()) {
            connected.getOutputStream().write("SSH-2.0-other\r\n".getBytes(StandardCharsets.US_ASCII));
            connected.getOutputStream().flush();
            connected.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException ended) {
            // The test is over.
        }
    }

    private Path source() {
        return Trees.file(at.path("source/file"), 1000, 1);
    }

    private Path loop() {
        Path loop = at.path("loop");
        Shell.ok("ln", "-s", "loop", loop);
        return loop;
    }

    private String createKey(Object... options) {
        List<Object> words = new ArrayList<>(List.of("key", "create", "guest"));
        words.addAll(List.of(options));
        return at.fdt(words.toArray()).expectExit(0).out().get(0);
    }

    private Outcome copyWith(String key, Object... words) {
        at.environment("FDT_KEY", key);
        return at.copy(words);
    }

    private Path mount(String options) {
        Path directory = at.directory("mounted");
        assumeTrue(
                Shell.run("mount", "-t", "tmpfs", "-o", options, "fdt-test", directory)
                                .exitCode()
                        == 0,
                "nothing can be mounted here (needs root)");
        at.closing(() -> Shell.ok("umount", "-l", directory));
        return directory;
    }

    /** A file system whose device ends before the content of {@code directory} and {@code file}. */
    private Path damagedDisk() throws IOException {
        Path image = at.path("image");
        Path tree = at.directory("disk");
        Trees.file(at.path("disk/directory/below/file"), 1, 1);
        Trees.file(tree.resolve("file"), 100_000, 1);
        Path mounted = at.directory("mounted");
        Shell.ok("mke2fs", "-q", "-t", "ext2", "-b", "1024", "-N", "32", "-d", tree, image, "4m");
        assumeTrue(Shell.run("mount", "-o", "loop", image, mounted).exitCode() == 0, "loop devices need root");
        at.closing(() -> Shell.ok("umount", "-l", mounted));
        long first = Long.MAX_VALUE;
        for (String name : List.of("/directory/below", "/file")) {
            String blocks = Shell.ok("debugfs", "-R", "blocks " + name, image);
            first = Math.min(first, Long.parseLong(blocks.strip().split(" ", -1)[0]));
        }
        Shell.ok("truncate", "-s", first * 1024, image);
        // Whoever looks at new devices may have read these blocks.
        Shell.ok(
                "blockdev",
                "--flushbufs",
                Shell.ok("findmnt", "-no", "SOURCE", mounted).strip());
        return mounted;
    }

    private Outcome unprivileged(Object... words) {
        String less = "-dac_override,-dac_read_search";
        return throughBash(
                "exec setpriv --bounding-set " + less + " --inh-caps " + less + " -- \"$@\"",
                Shell.words("client", "--json", words[0], words[1]).toArray());
    }

    private Outcome throughBash(String script, Object... words) {
        return at.track(FdtProcess.start(at.setupThroughBash("client", script, words)))
                .await(Workplace.LIMIT);
    }
}
