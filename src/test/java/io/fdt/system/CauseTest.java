package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.failure.Cause;
import io.fdt.core.faults.FaultLibrary;
import io.fdt.core.faults.FaultOrders;
import io.fdt.core.run.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each cause of the table by one real failure: its remedy is the only one, in the text and in the JSON. */
final class CauseTest {
    private static final long MIB = 1 << 20;
    private static final String UNPRIVILEGED = "exec setpriv --bounding-set " + Workplace.PRIVILEGES + " --inh-caps "
            + Workplace.PRIVILEGES + " -- \"$@\"";

    /** The attributes that HTCondor demands of each ErrorType. */
    private static final Map<String, Set<String>> MANDATORY = Map.of(
            "Parameter", Set.of("PluginVersion", "PluginLaunched"),
            "Resolution", Set.of("FailedName", "FailureType"),
            "Contact", Set.of("FailedServer"),
            "Authorization", Set.of("FailedServer", "FailureType", "ShouldRefresh"),
            "Specification", Set.of("FailedServer"),
            "Transfer", Set.of("FailedServer", "FailureType"));

    @RegisterExtension
    static final SharedServer SHARED = new SharedServer();

    @TempDir
    static Path directory;

    private static Map<String, Object> ofGfal2 = Map.of();

    @RegisterExtension
    final Workplace at = new Workplace(SHARED);

    private final Integrations integrations = new Integrations(at, ofGfal2);

    @BeforeAll
    static void buildGfal2() {
        ofGfal2 = Integrations.buildGfal2(directory.resolve("gfal2"));
    }

    /** What another test shows: it needs a peer, a file system or a moment that is hard to have here. */
    private static final Set<Cause> SHOWN_ELSEWHERE = EnumSet.of(
            Cause.INTERNAL,
            Cause.UNKNOWN,
            Cause.INTEGRITY,
            Cause.REFUSED,
            Cause.REVOKED,
            Cause.TOKEN_EXPIRED,
            Cause.NO_SESSION,
            Cause.CANNOT_CONNECT,
            Cause.NO_ROUTE,
            Cause.UNAVAILABLE,
            Cause.CONNECTION_LOST,
            Cause.SHARE_USED_UP,
            Cause.BUSY,
            Cause.VERSION,
            Cause.MALFORMED,
            Cause.INTERRUPTED,
            Cause.TERMINATED);

    /** A batch, which all programs use, has no pipe to write to, and uses no ssh. */
    private static final Set<Cause> NOT_BY_PROGRAMS = EnumSet.of(Cause.READER_GONE, Cause.NO_SSH, Cause.NO_REMOTE_FDT);

    /**
     * What needs an option or a tree of files: HTCondor and gfal2 copy single files between this host and
     * {@code fdt://}, and HTCondor replaces what exists.
     */
    private static final Set<Cause> ONLY_BY_PYTHON =
            EnumSet.of(Cause.SOME_FILES_FAILED, Cause.LIMIT, Cause.PATH_TOO_LONG, Cause.EXISTS, Cause.NO_RECORD);

    /** gfal2 looks at both ends before it copies, and finds this itself. */
    private static final Map<Cause, String> OWN_LOOK = Map.of(Cause.CHANGED, "ENOENT");

    static Stream<Cause> shownHere() {
        return EnumSet.complementOf(EnumSet.copyOf(SHOWN_ELSEWHERE)).stream();
    }

    /**
     * A copy that fails.
     *
     * @param environment of the client, besides that of all tests
     * @param script runs the client, which is in {@code "$@"}; null: it needs no other process
     */
    private record Case(
            List<String> options,
            String from,
            String to,
            Map<String, String> environment,
            @Nullable String script) {
        static Case of(Object from, Object to, String... options) {
            return new Case(List.of(options), from.toString(), to.toString(), Map.of(), null);
        }

        Case with(String name, String value) {
            Map<String, String> all = new HashMap<>(environment);
            all.put(name, value);
            return new Case(options, from, to, all, script);
        }

        Case through(String line) {
            return new Case(options, from, to, environment, line);
        }
    }

    /** What a cause becomes, by docs/integrations.md. */
    private record Row(long exitCode, String python, String gfal2, String condor) {
        static Row of(String[] cells) {
            return new Row(Long.parseLong(cells[2]), cells[3], cells[4], cells[5]);
        }
    }

    private static Map<String, Row> table() throws IOException {
        String page = Files.readString(Recipe.page("integrations.md"));
        return page.substring(page.indexOf("## What a failure becomes"))
                .lines()
                .filter(line -> line.matches("[|] `[a-z-]+` [|] \\d+ [|].*"))
                .map(line -> line.replace("`", "").split(" *[|] *"))
                .collect(Collectors.toMap(cells -> cells[1], Row::of));
    }

    @Test
    void theTableOfIntegrationsHasEachCauseWithItsExitCode() throws IOException {
        Map<String, Long> codes = new HashMap<>();
        table().forEach((word, row) -> codes.put(word, row.exitCode));
        assertThat(codes).isEqualTo(Stream.of(Cause.values()).collect(Collectors.toMap(Cause::word, cause ->
                (long) cause.exitCode())));
    }

    @ParameterizedTest
    @MethodSource("shownHere")
    void failureHasTheWordTheCodeAndTheRemedyOfItsCauseForAllPrograms(Cause cause) throws Exception {
        Case made = caseOf(cause);
        made.environment.forEach(at::environment);
        Outcome failed = run(made);
        String line = failed.err().get(failed.err().size() - 1);
        List<Map<String, Object>> errors = failed.jsonOfType("error");
        assertThat(errors).as(line).hasSize(1);
        Map<String, Object> error = errors.get(0);
        assertThat(error)
                .as(line)
                .containsEntry("cause", cause.word())
                .containsEntry("exit_code", (long) cause.exitCode())
                .containsEntry("retry", cause.isRepeated(true))
                .containsKeys("place", "path", "errno", "message");
        assertThat(failed.exitCode()).isEqualTo(cause.exitCode());
        assertThat(line).endsWith(error.get("message") + remedyIn(cause, error));

        Row row = Objects.requireNonNull(table().get(cause.word()));
        if (!NOT_BY_PROGRAMS.contains(cause)) {
            String message = checkPython(made, cause, error, row);
            if (!ONLY_BY_PYTHON.contains(cause)) {
                checkCondor(made, error, row, message);
                checkGfal2(made, cause, error, row);
            }
        }
    }

    private Outcome run(Case made) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(made.options);
        words.addAll(List.of(made.from, made.to));
        return made.script == null
                ? at.fdt(words.toArray())
                : at.track(FdtProcess.start(at.setupThroughBash("client", made.script, words.toArray())))
                        .await(Workplace.LIMIT);
    }

    /** Returns the text of the exception, which is that of the client. */
    private String checkPython(Case made, Cause cause, Map<String, Object> error, Row row) {
        Map<String, Object> raised = integrations.python(made.options, made.from, made.to, made.script);
        assertThat(raised).containsEntry("class", row.python);
        for (String field : List.of("cause", "place", "path", "errno", "exit_code", "retry", "remedy")) {
            assertThat(raised).containsEntry(field, error.get(field));
        }
        // A batch looks for RDMA when it starts, and a client before it opens lanes.
        if (cause != Cause.NO_RDMA) {
            assertThat(raised).containsEntry("message", error.get("message"));
        }
        return String.valueOf(raised.get("message"));
    }

    private void checkCondor(Case made, Map<String, Object> error, Row row, String message) {
        Map<String, Object> ad = new TreeMap<>(integrations.condor(made.from, made.to, made.script));
        boolean local = "local".equals(error.get("place")) && (row.exitCode == 4 || row.exitCode == 5);
        String[] type = (local && !row.condor.startsWith("Transfer") ? "Parameter" : row.condor).split(" ", -1);
        assertThat(ad)
                .containsEntry("ErrorType", type[0])
                .containsEntry("ErrorCode", row.exitCode)
                .containsEntry("ErrorString", message)
                .containsEntry("Retryable", error.get("retry").equals(true) ? 0L : -1L);
        if (type.length > 1) {
            assertThat(ad).containsEntry("FailureType", type[1]);
        }
        Set<String> attributes = new TreeSet<>(Set.of("ErrorType", "ErrorCode", "ErrorString", "Retryable"));
        attributes.addAll(MANDATORY.get(type[0]));
        assertThat(ad).containsOnlyKeys(attributes);
        String server = (made.from + made.to).replaceAll(".*fdt://([^/]*)/.*", "$1");
        if (ad.containsKey("FailedServer") && !local) {
            assertThat(ad).containsEntry("FailedServer", server);
        }
    }

    private void checkGfal2(Case made, Cause cause, Map<String, Object> error, Row row) {
        String named = row.exitCode == 7 ? "null" : String.valueOf(error.get("errno"));
        assertThat(integrations.gfal2(made.from, made.to, made.script))
                .containsEntry("errno", OWN_LOOK.getOrDefault(cause, named.equals("null") ? row.gfal2 : named));
    }

    /** The remedy of the table, unless the failure has one of its own, with figures. */
    private static String remedyIn(Cause cause, Map<String, Object> error) {
        return switch (cause) {
            case USAGE -> "";
            case NO_SPACE, LIMIT, NO_ANSWER, NO_KEY, SOME_FILES_FAILED, OTHER_KIND -> "; " + error.get("remedy");
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

    private Case caseOf(Cause cause) throws Exception {
        Path target = at.path("target/");
        return switch (cause) {
            case NO_MATCH -> Case.of(at.serverForCopies().url("/no*"), target);
            case UNREADABLE -> {
                Path source = source();
                Shell.ok("chmod", "0", source);
                yield Case.of(source, at.serverForCopies().url("/x")).through(UNPRIVILEGED);
            }
            case MISSING -> Case.of(at.serverForCopies().url("/none"), target);
            case USAGE -> Case.of(source(), "fdt://127.0.0.1:99999/x");
            case SOME_FILES_FAILED -> {
                Path two = source().getParent();
                Trees.file(two.resolve("other"), 10, 2);
                Shell.ok("mkfifo", at.directory("target").resolve("file"));
                yield Case.of(two + "/", at.path("target"), "--existing", "overwrite");
            }
            case REFUSED_CONNECTION -> Case.of("fdt://127.0.0.1:" + unusedPort() + "/x", target);
            case NO_ANSWER -> {
                ServerSocket silent = at.closing(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
                yield Case.of("fdt://127.0.0.1:" + silent.getLocalPort() + "/x", target)
                        .with("FDT_TIMEOUT", "2s");
            }
            case NOT_FDT -> {
                ServerSocket other = at.closing(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
                Threads.start("other-service", () -> sayOtherThings(other));
                yield Case.of("fdt://127.0.0.1:" + other.getLocalPort() + "/x", target);
            }
            case NO_RDMA -> pull().with("FDT_TRANSPORT", "rdma");
            case LIMIT -> {
                Trees.file(at.path("target/extra"), 7, 3);
                yield Case.of(at.directory("empty") + "/", at.path("target"), "--max-delete", "0", "--delete");
            }
            case EXPIRED -> {
                String key = createKey(cause, "--expires", "1s");
                Shell.ok("sleep", "2");
                yield pull().with("FDT_KEY", key);
            }
            case READ_ONLY_KEY -> push().with("FDT_KEY", createKey(cause, "--allow", "list,read"));
            case SOURCE_LOOP -> {
                loop();
                yield Case.of(at.serverForCopies().url("/loop/file"), target);
            }
            case PATH_TOO_LONG -> {
                // The sixteenth directory fits whatever is above it, and no path of the seventeenth does.
                String deep =
                        "cd \"$1\"; for i in $(seq 20); do d=$(printf '%0240d' 0); mkdir $d; cd $d; done; echo x > f";
                Path source = at.directory("source");
                Shell.ok("bash", "-c", deep, "bash", source);
                yield Case.of(source + "/", at.path("target"));
            }
            case SOURCE_IO_ERROR -> {
                damagedDisk();
                yield Case.of(at.serverForCopies().url("/mounted/file"), target);
            }
            case NO_SPACE -> {
                Path full = mount("size=64k");
                Shell.run("dd", "if=/dev/zero", "of=" + full.resolve("all"), "bs=4k");
                yield Case.of(source(), at.serverForCopies().url("/mounted/file"));
            }
            case READ_ONLY_FILE_SYSTEM -> {
                mount("ro");
                yield Case.of(source(), at.serverForCopies().url("/mounted/file"));
            }
            case PERMISSION -> {
                Shell.ok("chmod", "0555", at.directory("target"));
                yield Case.of(pull().from, at.path("target/file")).through(UNPRIVILEGED);
            }
            case EXISTS -> {
                Trees.file(at.path("remote/file"), 7, 2);
                yield Case.of(source(), at.serverForCopies().url("/file"), "--existing", "fail");
            }
            case OTHER_KIND -> {
                Shell.ok("mkfifo", at.directory("remote").resolve("file"));
                yield Case.of(source(), at.serverForCopies().url("/file"));
            }
            case TARGET_LOOP -> {
                loop();
                yield Case.of(source(), at.serverForCopies().url("/loop/file"));
            }
            case NAME_TOO_LONG -> Case.of(source(), at.serverForCopies().url("/" + "x".repeat(300)));
            case FILE_TOO_LARGE -> {
                Trees.file(at.path("remote/large"), 20 * MIB, 1);
                yield Case.of(at.serverForCopies().url("/large"), target).through("ulimit -f 4000; exec \"$@\"");
            }
            case IO_ERROR -> {
                damagedDisk();
                yield Case.of(source(), at.serverForCopies().url("/mounted/directory/below/file"));
            }
            case READER_GONE -> {
                Trees.file(at.path("remote/large"), 20 * MIB, 1);
                yield Case.of(at.serverForCopies().url("/large"), "/dev/fd/3")
                        .through("\"$@\" 3> >(head -c 10 > /dev/null)");
            }
            case NO_RECORD ->
                Case.of(
                        source(),
                        target,
                        "--receipt",
                        at.path("missing/receipt").toString());
            case NO_KEY -> pull().with("FDT_HOME", at.path("home-without-keys").toString());
            case UNKNOWN_KEY -> {
                String key = createKey(cause);
                at.fdt("key", "revoke", cause.word()).expectExit(0);
                yield pull().with("FDT_KEY", key);
            }
            case OTHER_SERVER -> {
                at.environment("FDT_HOME", at.path("other-home").toString());
                String key = createKey(cause);
                yield pull().with("FDT_KEY", key);
            }
            case READ_ONLY_SERVER -> Case.of(source(), at.server("--read-only").url("/x"));
            case NO_RIGHT -> pull().with("FDT_KEY", createKey(cause, "--allow", "list"));
            case OUTSIDE_ROOT -> Case.of(at.serverForCopies().url("/../../../x"), target);
            case UNKNOWN_HOST -> Case.of("fdt://no-such-host.invalid/x", target);
            case NO_SSH -> {
                SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
                String otherKey = sshd.command().replace("sshd/user", "sshd/host");
                yield Case.of(sshd.user() + "@127.0.0.1:/x", target, "--ssh", otherKey);
            }
            case NO_REMOTE_FDT -> {
                SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
                String far = sshd.user() + "@127.0.0.1:/x";
                yield Case.of(far, target, "--ssh", sshd.command(), "--remote-command", "false");
            }
            // Each call with this name of the server fails: pwrite, fchmod, pread, open.
            case QUOTA -> atServerThatFails("pwrite", 122, push());
            case NO_MEMORY -> atServerThatFails("pwrite", 12, push());
            case TARGET -> atServerThatFails("fchmod", 22, push());
            case SOURCE -> atServerThatFails("pread", 6, pull());
            case CHANGED -> atServerThatFails("open", 2, pull());
            case HOST_LIMIT -> atServerThatFails("open", 24, pull());
            default -> throw new IllegalStateException(cause + " is shown elsewhere");
        };
    }

    private Case push() {
        return Case.of(source(), at.serverForCopies().url("/x"));
    }

    private Case pull() {
        Trees.file(at.path("remote/x"), 1000, 1);
        return Case.of(at.serverForCopies().url("/x"), at.path("target/"));
    }

    /** @param made the same with another server */
    private Case atServerThatFails(String call, int errno, Case made) throws Exception {
        FaultLibrary library = FaultLibrary.compile(Recipe.readme().resolveSibling("fdt-core"), at.directory());
        FaultOrders orders = new FaultOrders(at.path("orders"), at.directory("remote"));
        orders.environment(library).forEach(at::environment);
        String url = at.server().url("/x");
        at.environment("LD_PRELOAD", "");
        orders.fail(call + " " + (call.equals("pwrite") || call.equals("fchmod") ? "#*" : "x"), errno);
        return made.from.startsWith("fdt://") ? Case.of(url, made.to) : Case.of(made.from, url);
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            return taken.getLocalPort();
        }
    }

    private static void sayOtherThings(ServerSocket other) {
        while (!other.isClosed()) {
            try (Socket connected = other.accept()) {
                connected.getOutputStream().write("SSH-2.0-other\r\n".getBytes(StandardCharsets.US_ASCII));
                connected.getOutputStream().flush();
                connected.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException ended) {
                // The client has reset the connection, or the test is over.
            }
        }
    }

    private Path source() {
        return Trees.file(at.path("source/file"), 1000, 1);
    }

    private void loop() {
        Shell.ok("ln", "-s", "loop", at.directory("remote").resolve("loop"));
    }

    private String createKey(Cause cause, Object... options) {
        List<Object> words = new ArrayList<>(List.of("key", "create", cause.word()));
        words.addAll(List.of(options));
        return at.fdt(words.toArray()).expectExit(0).out().get(0);
    }

    private Path mount(String options) {
        Path directory = at.directory("remote/mounted");
        assumeTrue(
                Shell.run("mount", "-t", "tmpfs", "-o", options, "fdt-test", directory)
                                .exitCode()
                        == 0,
                "nothing can be mounted here (needs root)");
        at.closing(() -> Shell.ok("umount", "-l", directory));
        return directory;
    }

    /** A file system whose device ends before the content of {@code directory} and {@code file}. */
    private void damagedDisk() throws IOException {
        Path image = at.path("image");
        Path tree = at.directory("disk");
        Trees.file(at.path("disk/directory/below/file"), 1, 1);
        Trees.file(tree.resolve("file"), 100_000, 1);
        Path mounted = at.directory("remote/mounted");
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
    }
}
