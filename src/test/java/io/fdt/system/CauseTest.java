package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.Cause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each cause of the table by one real failure: its remedy is the only one, in the text and in the JSON. */
final class CauseTest {
    private static final long MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    @ParameterizedTest
    @EnumSource(Cause.class)
    void failureAdvisesTheRemedyOfItsCause(Cause cause) throws IOException {
        Outcome failed = failBecauseOf(cause);
        String line = failed.err().get(failed.err().size() - 1);
        assertThat(line).endsWith("; " + cause.remedy());
        assertThat(failed.jsonOfType("error"))
                .isNotEmpty()
                .allSatisfy(error -> assertThat(error)
                        .containsEntry("remedy", cause.remedy())
                        .containsEntry("exit_code", (long) failed.exitCode()));
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
            case SOURCE_FORBIDDEN -> {
                Path source = source();
                Shell.ok("chmod", "0", source);
                yield unprivileged(source, at.path("target/"));
            }
            case SOURCE_LOOP -> at.copy(loop() + "/file", at.path("target/"));
            case SOURCE_PATH -> {
                String deep =
                        "cd \"$1\"; for i in $(seq 20); do d=$(printf '%0250d' 0); mkdir $d; cd $d; done; echo x > f";
                Path source = at.directory("source");
                Shell.ok("bash", "-c", deep, "bash", source);
                yield at.copy(source + "/", at.path("target"));
            }
            case SOURCE_DEVICE -> at.copy(damagedDisk().resolve("file"), at.path("target/"));
            case FULL -> {
                Path full = mount("size=64k");
                Shell.run("dd", "if=/dev/zero", "of=" + full.resolve("all"), "bs=4k");
                yield at.copy(source(), full);
            }
            case READ_ONLY -> at.copy(source(), mount("ro"));
            case FORBIDDEN -> {
                Path target = at.directory("target");
                Shell.ok("chmod", "0555", target);
                yield unprivileged(source(), target);
            }
            case EXISTS -> at.copy("--existing", "fail", source(), Trees.file(at.path("target/file"), 7, 2));
            case OTHER_KIND -> {
                Shell.ok("mkfifo", at.directory("target").resolve("file"));
                yield at.copy(source(), at.path("target/"));
            }
            case LOOP -> at.copy(source(), loop() + "/");
            case LONG_NAME -> at.copy(source(), at.path("x".repeat(300)));
            case TOO_LARGE -> {
                String limited = "ulimit -f 4000; exec \"$@\"";
                Path large = Trees.file(at.path("source/large"), 20 * MIB, 1);
                yield throughBash(limited, "client", "--json", large, at.path("target"));
            }
            case DEVICE -> at.copy(source(), damagedDisk().resolve("directory/below/"));
            case READER_GONE -> {
                Path large = Trees.file(at.path("remote/large"), 20 * MIB, 1);
                String gone = "\"$@\" 3> >(head -c 10 > /dev/null)";
                yield throughBash(gone, "client", "--json", at.server().url("/" + large.getFileName()), "/dev/fd/3");
            }
            case NO_RECORD -> at.copy("--receipt", at.path("missing/receipt"), source(), at.path("target/"));
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
            case NO_WRITING -> at.copy(source(), at.server("--read-only").url("/x"));
            case NO_RIGHT -> copyWith(createKey("--allow", "list"), at.server().url("/x"), at.path("target/"));
            case OUTSIDE -> at.copy(at.server().url("/../x"), at.path("target/"));
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
        };
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
