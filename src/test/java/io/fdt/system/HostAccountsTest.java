package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.hostile.OtherKeys;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that name accounts of the server's host: ann, who is in the group lab, and bob. */
@Order(4)
final class HostAccountsTest {
    private static final int ANN = 27_001;
    private static final int BOB = 27_002;
    private static final int LAB = 27_003;
    private static final int MIB = 1 << 20;
    /** Far more than a sender offers before the first of them are in place. */
    private static final int MANY = 10_000;

    private static final int SEQUENCES = 10;

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path root = Path.of("unset");
    private HostAccounts accounts;

    @BeforeEach
    void makeAccounts() {
        accounts = HostAccounts.of(at);
        root = at.directory("remote");
        accounts.add("ann", ANN);
        accounts.add("bob", BOB);
        accounts.append("group", "lab:x:" + LAB + ":ann\n");
        Shell.ok("chown", ANN, at.directory("remote/ann"));
        Shell.ok("chown", BOB, at.directory("remote/bob"));
        Shell.ok("chown", "0:" + LAB, at.directory("remote/lab"));
        Shell.ok("chmod", "2775", at.directory("remote/lab"));
    }

    private FdtServer server(Object... options) {
        return accounts.server(options);
    }

    private String key(String user) {
        return accounts.key(user);
    }

    /** From now on, the clients of the test use a key of this account. */
    private void actAs(String user) {
        at.environment("FDT_KEY", key(user));
    }

    private static String owner(Path path) throws IOException {
        return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS) + ":"
                + Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }

    /** The process of an account, which the server has started. */
    private static ProcessHandle helper(FdtServer server) {
        List<ProcessHandle> found = new ArrayList<>();
        Await.until("a process of an account", Workplace.LIMIT, () -> {
            found.clear();
            ProcessHandle.of(server.process().pid()).orElseThrow().children().forEach(found::add);
            return !found.isEmpty();
        });
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Test
    void filesBelongToTheAccountThatTheKeyNames() throws Exception {
        Path log = at.path("transfers");
        FdtServer server = server("--transfer-log", log, "--clear-lanes", "allow");
        Path tree = at.directory("tree");
        Trees.small(tree, 1);
        Trees.file(tree.resolve("big"), 9L * MIB, 2);
        actAs("ann");

        at.copy(tree, server.url("/ann/")).expectExit(0);
        at.copy("-P", 3, "--clear-lanes", tree.resolve("big"), server.url("/lab/"))
                .expectExit(0);

        assertThat(root.resolve("ann/tree/big")).hasSameBinaryContentAs(tree.resolve("big"));
        assertThat(owner(root.resolve("ann/tree"))).isEqualTo(ANN + ":" + ANN);
        assertThat(owner(root.resolve("ann/tree/big"))).isEqualTo(ANN + ":" + ANN);
        assertThat(owner(root.resolve("lab/big"))).isEqualTo(ANN + ":" + LAB);
        at.copy(server.url("/ann/tree"), at.directory("back") + "/").expectExit(0);
        Trees.assertSame(tree, at.path("back/tree"));
        at.fdt("verify", tree, server.url("/ann/tree")).expectExit(0);
        at.fdt("mkdir", server.url("/ann/made")).expectExit(0);
        assertThat(owner(root.resolve("ann/made"))).isEqualTo(ANN + ":" + ANN);
        at.fdt("nettest", "--json", "--duration", "1s", server.host() + ":" + server.port())
                .expectExit(0);
        Await.until(
                "the log has the file",
                Workplace.LIMIT,
                () -> Trees.text(log)
                        .lines()
                        .anyMatch(line -> line.contains("\"key\":\"ann\"") && line.contains("\"path\":\"tree/big\"")));
        server.process()
                .awaitLine(Workplace.LIMIT, text -> text.contains("session_end") && text.contains("\"key\":\"ann\""));

        Trees.file(root.resolve("own"), 10, 3);
        at.environment("FDT_KEY", at.fdt("key", "show").expectExit(0).out().get(0));
        at.copy(tree.resolve("big"), server.url("/root")).expectExit(0);
        assertThat(owner(root.resolve("root"))).isEqualTo("0:0");
    }

    /** As the installed launcher and a second start of {@code java -jar} do. */
    @Test
    void theServerMayHaveBeenStartedWithAClassPath() throws Exception {
        FdtProcess.Setup usual = at.setup("server", "server", "--json", "--listen", "127.0.0.1:0", "--root", "/mnt");
        List<String> command = new ArrayList<>(usual.command());
        int jar = command.indexOf("-jar");
        command.set(jar, "-cp");
        command.add(jar + 2, "io.fdt.cli.Main");
        FdtServer server = FdtServer.whenReady(
                accounts.start(new FdtProcess.Setup(usual.name(), command, usual.environment(), usual.directory())),
                root);
        actAs("ann");

        at.copy(Trees.file(at.path("f"), 100, 1), server.url("/ann/")).expectExit(0);

        assertThat(owner(root.resolve("ann/f"))).isEqualTo(ANN + ":" + ANN);
    }

    /** An upgrade replaces the jar while the server goes on with the old one. */
    @Test
    void whyAnAccountHasNoProcessIsSeenAtTheClientAndInTheLog() throws Exception {
        FdtProcess.Setup usual = at.setup("server", "server", "--json", "--listen", "127.0.0.1:0", "--root", "/mnt");
        Path jar = Files.copy(Workplace.jar(), at.path("fdt.jar"));
        List<String> command = new ArrayList<>(usual.command());
        command.set(command.indexOf("-jar") + 1, jar.toString());
        FdtServer server = FdtServer.whenReady(
                accounts.start(new FdtProcess.Setup(usual.name(), command, usual.environment(), usual.directory())),
                root);
        Path newer = Files.copy(jar, at.path("newer.jar"));
        try (FileSystem inside = FileSystems.newFileSystem(newer)) {
            Path manifest = inside.getPath("META-INF/MANIFEST.MF");
            Files.writeString(
                    manifest,
                    Files.readString(manifest)
                            .replaceFirst("Implementation-Version: .*", "Implementation-Version: 99.0"));
        }
        Files.move(newer, jar, StandardCopyOption.ATOMIC_MOVE);
        actAs("ann");

        Outcome refused =
                at.copy(Trees.file(at.path("f"), 100, 1), server.url("/ann/f")).expectExit(8);

        String why = "and its processes would be fdt 99.0";
        assertThat(refused.errText()).contains("the account ann", why, "restart the server after the upgrade");
        server.process().awaitLine(Workplace.LIMIT, text -> text.contains("refused 127.0.0.1") && text.contains(why));
    }

    @Test
    void anAccountThatIsAddedLaterWorks() throws Exception {
        FdtServer server = server();
        int carl = BOB + 100;
        Path source = Trees.file(at.path("f"), 100, 1);
        actAs("ann");
        at.copy(source, server.url("/lab/f")).expectExit(0);

        accounts.add("carl", carl);
        accounts.append("group", "team:x:" + (carl + 1) + ":carl\n");
        Shell.ok("chown", "0:" + (carl + 1), at.directory("remote/team"));
        Shell.ok("chmod", "2775", at.directory("remote/team"));
        actAs("carl");

        at.copy(source, server.url("/team/f")).expectExit(0);
        assertThat(owner(root.resolve("team/f"))).isEqualTo(carl + ":" + (carl + 1));
    }

    @Test
    void aStoppedProcessIsReplaced() throws Exception {
        FdtServer server = server();
        Path source = Trees.file(at.path("f"), 100, 1);
        actAs("ann");
        at.copy(source, server.url("/ann/f")).expectExit(0);
        ProcessHandle first = helper(server);
        Shell.ok("kill", "-STOP", first.pid());

        FdtProcess waiting = at.startCopy(source, server.url("/ann/g"));

        Await.until("its end", Workplace.LIMIT, () -> !first.isAlive());
        waiting.await(Workplace.LIMIT);
        at.copy(source, server.url("/ann/h")).expectExit(0);
    }

    @Test
    void whatTheAccountMayNotDoFails() throws Exception {
        FdtServer server = server();
        Path secret = Trees.file(root.resolve("bob/secret"), 100, 1);
        Shell.ok("chown", BOB, secret);
        Shell.ok("chmod", "600", secret);
        Path source = Trees.file(at.path("f"), 100, 2);
        actAs("ann");

        Outcome pull = at.copy(server.url("/bob/secret"), at.path("got")).expectExit(4);
        assertThat(pull.errText()).contains("Permission denied");
        Outcome push = at.copy(source, server.url("/bob/")).expectExit(5);
        assertThat(push.errText()).contains("Permission denied");
        // The server's log has what the process of the account has met.
        for (String cause : List.of("unreadable", "permission")) {
            server.process()
                    .awaitLine(
                            Workplace.LIMIT,
                            text -> text.contains("session_end")
                                    && text.contains("\"key\":\"ann\"")
                                    && text.contains("\"cause\":\"" + cause + "\"")
                                    && text.contains("\"errno\":\"EACCES\"")
                                    && text.contains("\"path\":\""));
        }
        at.fdt("rm", server.url("/bob/secret")).expectExit(5);
        assertThat(secret).exists();
        assertThat(root.resolve("bob/f")).doesNotExist();

        actAs("bob");
        at.copy(server.url("/bob/secret"), at.path("got")).expectExit(0);
        at.fdt("key", "create", "x", "--user", "root").expectExit(2);
        assertThat(accounts.start(at.setup("key", "key", "create", "x", "--user", "nobodyhere"))
                        .await(Workplace.LIMIT)
                        .expectExit(2)
                        .errText())
                .contains("there is no account nobodyhere");
    }

    @Test
    void twoAccountsCopyAtOnceAndTheServerShowsBoth() throws Exception {
        FdtServer server = server();
        Trees.file(at.path("f"), 30L * MIB, 1);
        actAs("ann");
        FdtProcess ann = startSlowly(server.url("/ann/f"));
        actAs("bob");
        FdtProcess bob = startSlowly(server.url("/bob/f"));
        // Figures arrive a second later.
        Await.until("a status with both", Workplace.LIMIT, () -> {
            server.process().signal("USR1");
            String all = server.process().transcript();
            return Stream.of("push to /ann/f, ", "push to /bob/f, ")
                    .allMatch(
                            what -> all.lines().anyMatch(line -> line.contains(what) && !line.contains(" 0 B moved")));
        });
        for (FdtProcess each : List.of(ann, bob)) {
            each.signal("INT");
            each.await(Workplace.LIMIT).expectExit(130);
        }
        for (String user : List.of("ann", "bob")) {
            actAs(user);
            at.copy(at.path("f"), server.url("/" + user + "/f")).expectExit(0);
        }
        assertThat(owner(root.resolve("ann/f"))).isEqualTo(ANN + ":" + ANN);
        assertThat(owner(root.resolve("bob/f"))).isEqualTo(BOB + ":" + BOB);
        assertThat(root.resolve("bob/f")).hasSameBinaryContentAs(at.path("f"));
    }

    /** Both may write in the same directories; {@code OtherKeysTest} has keys of one account. */
    @ParameterizedTest
    @EnumSource
    void nothingThatOneAccountDoesEndsTheWorkOfAnother(OtherKeys.Work work) throws Exception {
        FdtServer server = server();
        OtherKeys.makeFiles(root);
        Shell.ok("chmod", "-R", "a+rwX", root);
        InetSocketAddress address = new InetSocketAddress(server.host(), server.port());
        try (OtherKeys both = OtherKeys.ofAccounts(address, root, key("bob"), key("ann"))) {
            for (int seed = 1; seed <= SEQUENCES; seed++) {
                both.run(work, seed, true);
            }
        }
    }

    /** The older copy is under way when the younger one meets its file, under another account. */
    @Test
    void theYoungerCopyOfAnotherAccountEndsWith11() throws Exception {
        Path log = at.path("transfers");
        FdtServer server = server("--transfer-log", log);
        Shell.ok("chmod", "1777", at.directory("remote/shared"));
        Path source = Trees.file(at.path("f"), 30L * MIB, 1);
        FaultProxy proxy = at.closing(FaultProxy.before(server.port())).throttle(MIB);
        actAs("ann");
        String slowly = server.urlAt(proxy.port(), "/shared/");
        FdtProcess older = at.startCopy("-P", 1, "--chunk-size", "128KiB", "--timeout", "10m", source, slowly);
        older.awaitAcknowledged(Workplace.LIMIT, 1 << 17);
        // It must not end before the younger one.
        proxy.throttle(MIB / 64);
        actAs("bob");
        Outcome refused = at.copy(Trees.file(at.path("other/f"), 30L * MIB, 2), server.url("/shared/"))
                .expectExit(11);
        assertThat(refused.errText()).contains("another copy is writing this target");
        for (Supplier<String> each :
                List.<Supplier<String>>of(() -> server.process().transcript(), () -> Trees.text(log))) {
            Await.until(
                    "a line with both keys",
                    Workplace.LIMIT,
                    () -> each.get()
                            .lines()
                            .anyMatch(
                                    line -> line.contains("bob") && line.contains("is being written by the key ann")));
        }
        proxy.throttle(0);
        older.await(Workplace.LIMIT).expectExit(0);
        assertThat(root.resolve("shared/f")).hasSameBinaryContentAs(source);
        assertThat(owner(root.resolve("shared/f"))).isEqualTo(ANN + ":" + ANN);
    }

    /** The older copy comes to the file when the younger one has begun it: it waits, and neither ends the other. */
    @Test
    void theOlderCopyWaitsForAYoungerOneOfAnotherAccount() throws Exception {
        FdtServer server = server();
        Shell.ok("chmod", "777", at.directory("remote/shared"));
        Path tree = at.directory("many");
        Path names = at.path("names");
        Files.write(names, IntStream.range(0, MANY).mapToObj("f%05d"::formatted).toList());
        for (String name : Files.readAllLines(names)) {
            Files.writeString(tree.resolve(name), "x");
        }
        Trees.file(tree.resolve("z"), 3L * MIB, 1);
        Files.writeString(names, "z\n", StandardOpenOption.APPEND);
        FaultProxy proxy = at.closing(FaultProxy.before(server.port())).throttle(MIB / 16);
        actAs("ann");
        String slowly = server.urlAt(proxy.port(), "/shared/");
        FdtProcess older = at.startCopy("-P", 1, "--preserve", "none", "--files-from", names, tree, slowly);
        Await.until("the older copy has begun", Workplace.LIMIT, () -> Files.exists(root.resolve("shared/f00000")));
        proxy.throttle(1024);
        actAs("bob");
        Path other = Trees.file(at.path("other/z"), 30L * MIB, 2);
        FdtProcess younger =
                at.startCopy("--rate-limit", "200kbit", "--chunk-size", "128KiB", other, server.url("/shared/"));
        younger.awaitAcknowledged(Workplace.LIMIT, 1 << 17);
        proxy.throttle(0);

        Path last = root.resolve("shared/f%05d".formatted(MANY - 1));
        Await.until("all but one file are in place", Workplace.LIMIT, () -> Files.exists(last));
        younger.signal("INT");
        younger.await(Workplace.LIMIT).expectExit(130);
        older.await(Workplace.LIMIT).expectExit(0);
        assertThat(root.resolve("shared/z")).hasSameBinaryContentAs(tree.resolve("z"));
    }

    /** The process of each account would have room for it. */
    @Test
    void theSessionsOfAllAccountsAreLimitedTogether() throws Exception {
        FdtServer server = server("--max-sessions", "2");
        Trees.file(at.path("f"), 30L * MIB, 1);
        List<FdtProcess> copies = new ArrayList<>();
        for (String user : List.of("ann", "bob")) {
            actAs(user);
            copies.add(startSlowly(server.url("/" + user + "/f")));
        }
        at.environment("FDT_KEY", at.fdt("key", "show").expectExit(0).out().get(0));

        Outcome refused = at.copy(at.path("f"), server.url("/g")).expectExit(8);

        assertThat(refused.errText()).contains("the server is full: it has at most 2 sessions");
        for (FdtProcess each : copies) {
            each.signal("INT");
            each.await(Workplace.LIMIT).expectExit(130);
        }
        at.copy("--retry", "2m", at.path("f"), server.url("/g")).expectExit(0);
    }

    /** Starts a copy that would take longer than any test. */
    private FdtProcess startSlowly(String target) {
        FdtProcess copy = at.startCopy("--rate-limit", "1Mbit", "--chunk-size", "128KiB", at.path("f"), target);
        copy.awaitAcknowledged(Workplace.LIMIT, 1 << 17);
        return copy;
    }

    @Test
    void theProcessOfAnAccountHasNoPrivilegesAndIsClosedToItsUser() throws Exception {
        FdtServer server = server();
        actAs("ann");
        at.copy(Trees.file(at.path("f"), 100, 1), server.url("/ann/")).expectExit(0);
        ProcessHandle helper = helper(server);
        Path proc = Path.of("/proc", String.valueOf(helper.pid()));
        int seen = 0;
        try (Stream<Path> threads = Files.list(proc.resolve("task"))) {
            for (Path thread : threads.toList()) {
                String status = textIfAny(thread.resolve("status"));
                if (status.isEmpty()) {
                    continue;
                }
                seen++;
                assertThat(status)
                        .contains("CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1")
                        .containsPattern("Uid:\t27001\t27001\t27001\t27001\n")
                        .containsPattern("Gid:\t27001\t27001\t27001\t27001\n")
                        .containsPattern("Groups:\t27001 27003 \n");
            }
        }
        assertThat(seen).as("threads that were looked at").isGreaterThan(10);
        // The kernel opens "mem" to whom it would let trace the process, and to nobody else.
        for (String file : List.of("mem", "environ", "maps", "fd/0")) {
            Shell.Result reading = asAnn("head", "-c", "1", proc.resolve(file).toString());
            assertThat(reading.exitCode()).as(file).isEqualTo(1);
            assertThat(reading.err()).as(file).contains("Permission denied");
        }
        // A request to attach is a file in the process's directory or in /tmp, and a signal.
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        assertThat(asAnn(jcmd, "-h").exitCode()).as("a user may run jcmd").isZero();
        assertThat(asAnn(jcmd, String.valueOf(helper.pid()), "VM.version").exitCode())
                .isNotZero();
        assertThat(Path.of("/tmp", ".java_pid" + helper.pid())).doesNotExist();
        assertThat(helper.isAlive()).isTrue();
    }

    private static Shell.Result asAnn(Object... command) {
        List<Object> words =
                new ArrayList<>(List.of("setpriv", "--reuid=" + ANN, "--regid=" + ANN, "--clear-groups", "--"));
        words.addAll(List.of(command));
        return Shell.run(words.toArray());
    }

    /** Threads end at any time. */
    private static String textIfAny(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException gone) {
            return "";
        }
    }

    /** The directory of the account is a subvolume of btrfs, whose quota the kernel charges with what is written. */
    @Test
    void theQuotaOfAnAccountEndsItsCopyAndNobodyElses() throws Exception {
        Path image = at.path("image");
        Shell.ok("truncate", "-s", "300M", image);
        Shell.ok("mkfs.btrfs", "-q", image);
        assumeTrue(Shell.run("mount", "-o", "loop", image, root).exitCode() == 0, "loop devices and btrfs");
        at.closing(() -> Shell.ok("umount", "-l", root));
        Shell.ok("chmod", "755", root);
        Shell.ok("btrfs", "quota", "enable", root);
        Shell.ok("btrfs", "subvolume", "create", root.resolve("ann"));
        Shell.ok("chown", ANN, root.resolve("ann"));
        Shell.ok("chown", BOB, at.directory("remote/bob"));
        Shell.ok("btrfs", "qgroup", "limit", "8M", root.resolve("ann"));
        FdtServer server = server();
        Path source = Trees.file(at.path("f"), 30L * MIB, 1);
        Path small = Trees.file(at.path("small"), 100, 2);

        actAs("ann");
        Outcome ended =
                at.copy("--chunk-size", "128KiB", source, server.url("/ann/f")).expectExit(5);
        assertThat(ended.errText()).contains("Disk quota exceeded", "raise the quota");
        assertThat(root.resolve("ann/f")).doesNotExist();
        actAs("bob");
        at.copy(source, server.url("/bob/f")).expectExit(0);

        Shell.ok("btrfs", "qgroup", "limit", "none", root.resolve("ann"));
        actAs("ann");
        at.copy("--chunk-size", "128KiB", source, small, server.url("/ann/")).expectExit(0);
        assertThat(root.resolve("ann/f")).hasSameBinaryContentAs(source);
        assertThat(owner(root.resolve("ann/f"))).isEqualTo(ANN + ":" + ANN);
    }

    @Test
    void aRevokedKeyEndsItsSessions() {
        FdtServer server = server();
        Trees.file(at.path("f"), 30L * MIB, 1);
        actAs("ann");
        FdtProcess copy = startSlowly(server.url("/ann/f"));
        accounts.start(at.setup("key", "key", "revoke", "ann"))
                .await(Workplace.LIMIT)
                .expectExit(0);
        assertThat(copy.await(Workplace.LIMIT).expectExit(7).errText()).contains("revoked");
        at.copy(at.path("f"), server.url("/ann/f")).expectExit(7);
    }

    @Test
    void aCopyResumesAfterTheProcessOfItsAccountWasKilled() throws Exception {
        FdtServer server = server();
        Trees.file(at.path("f"), 30L * MIB, 1);
        actAs("ann");
        FdtProcess copy = startSlowly(server.url("/ann/f"));
        Shell.ok("kill", "-KILL", helper(server).pid());
        copy.await(Workplace.LIMIT).expectExit(9);
        server.process().awaitLine(Workplace.LIMIT, text -> text.contains("session_end") && text.contains("has ended"));

        Outcome rerun = at.copy("--chunk-size", "128KiB", at.path("f"), server.url("/ann/f"))
                .expectExit(0);

        assertThat(rerun.number("bytes_resumed")).isPositive();
        assertThat(root.resolve("ann/f")).hasSameBinaryContentAs(at.path("f"));
        assertThat(owner(root.resolve("ann/f"))).isEqualTo(ANN + ":" + ANN);
    }

    @Test
    void theProcessOfAnAccountEndsWithTheServer() throws Exception {
        FdtServer server = server();
        actAs("ann");
        at.copy(Trees.file(at.path("f"), 100, 1), server.url("/ann/")).expectExit(0);
        ProcessHandle first = helper(server);
        server.process().killHard();
        Await.until("its end", Workplace.LIMIT, () -> !first.isAlive());

        FdtServer again = server();
        at.copy(at.path("f"), again.url("/ann/")).expectExit(0);
        ProcessHandle second = helper(again);
        again.process().signal("TERM");
        again.process().await(Workplace.LIMIT).expectExit(0);
        Await.until("its end", Workplace.LIMIT, () -> !second.isAlive());
    }

    @Test
    void aThirdPartyCopyWorksAsTheAccountAtBothEnds() throws Exception {
        FdtServer server = server("--third-party", "127.0.0.0/8");
        Path source = Trees.file(root.resolve("ann/f"), 3L * MIB, 1);
        Shell.ok("chown", ANN, source);
        Shell.ok("chmod", "600", source);
        actAs("ann");
        at.copy(server.url("/ann/f"), server.url("/lab/copy")).expectExit(0);
        assertThat(root.resolve("lab/copy")).hasSameBinaryContentAs(source);
        assertThat(owner(root.resolve("lab/copy"))).isEqualTo(ANN + ":" + LAB);
    }

    @Test
    void aServerThatCannotBecomeTheAccountRefuses() {
        actAs("ann");
        Path source = Trees.file(at.path("f"), 100, 1);
        FdtServer without = at.rootlessServer("127.0.0.1:0", root, "--root", root);
        Outcome unknown = at.copy(source, without.url("/ann/f")).expectExit(7);
        assertThat(unknown.errText()).contains("there is no account ann on this host");

        FdtProcess.Setup setup = at.setup("server", "server", "--json", "--listen", "127.0.0.1:0", "--root", root);
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "--inh-caps=+dac_read_search",
                "--ambient-caps=+dac_read_search",
                "--"));
        command.addAll(setup.command());
        Shell.ok("chown", "-R", "65534", at.path("home"), at.path("tmp"));
        FdtServer ordinary = FdtServer.whenReady(
                at.track(FdtProcess.start(
                        new FdtProcess.Setup("server", command, setup.environment(), setup.directory()))),
                root);
        Outcome refused = at.copy(source, ordinary.url("/f")).expectExit(7);
        assertThat(refused.errText()).contains("as the account ann", "run it as root");
        assertThat(root.resolve("f")).doesNotExist();
    }
}
