package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Fdt;
import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.posix.Acl;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Senders that offer entries which their receiver did not request, or with more permissions than it grants. Beside
 * every attack an honest copy of the same kind completes.
 */
class HostileEntriesTest {
    @TempDir
    Path directory;

    /** The victim's home directory. */
    private Path home;

    private Path elsewhere;
    private HostileServer hostile;
    private TestServer honest;
    private Path exported;
    private String keyLine;
    private Map<String, String> before;

    @BeforeEach
    void start() throws IOException {
        home = Files.createDirectories(directory.resolve("home"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        Files.createDirectory(
                home.resolve(".ssh"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(home.resolve(".ssh/authorized_keys"), "mine");
        Files.writeString(home.resolve(".bashrc"), "mine");
        before = unrequested();
        exported = Files.createDirectories(directory.resolve("exported"));
        Files.createDirectories(exported.resolve("run7/d"));
        Files.writeString(exported.resolve("run7/a"), "a");
        Files.writeString(exported.resolve("run7/d/b"), "b");
        Files.writeString(exported.resolve("file"), "f");
        elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        honest = new TestServer(directory.resolve("honest-home"), exported);
        Identity identity = Identity.create();
        hostile = new HostileServer(identity);
        IssuedKey key = IssuedKey.of("k", Permission.ALL, null);
        keyLine = ServerAccess.of(identity, key).toLine();
    }

    @AfterEach
    void stop() {
        hostile.close();
        honest.close();
    }

    /** Returns the contents of the victim's home, with modes, except what the plan of every attack requests. */
    private Map<String, String> unrequested() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(home)) {
            for (Path path : paths.toList()) {
                String name = home.relativize(path).toString();
                if (!name.startsWith("run7") && !name.equals("file")) {
                    found.put(
                            name,
                            Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS)
                                    + (Files.isRegularFile(path) ? Files.readString(path) : ""));
                }
            }
        }
        return found;
    }

    private interface Pull {
        TestPlan into(Path target);
    }

    /**
     * A pull, and the entries that the server sends instead.
     *
     * @param target below the victim's home; empty for the home itself
     * @param entries of which only the last was not requested
     */
    private record Attack(String what, Pull pull, String target, boolean single, List<FileEntry> entries) {
        String refused() {
            return entries.get(entries.size() - 1).path().display();
        }

        @Override
        public String toString() {
            return what + ": " + refused();
        }
    }

    private static Attack attack(String what, Pull pull, FileEntry... entries) {
        return new Attack(what, pull, "", false, List.of(entries));
    }

    private static Attack single(FileEntry entry) {
        return new Attack(
                "a single file",
                target -> TestPlan.pull("/file", target),
                "file",
                true,
                List.of(Frames.file("file", 1), entry));
    }

    static Stream<Attack> attacks() {
        Pull tree = target -> TestPlan.pull("/run7", target);
        Pull two = target -> TestPlan.pull("/run7", target).alsoFrom(Path.of("/file"));
        Pull named = target -> TestPlan.pull("/run7", target).names("d/./b");
        Pull filtered = target -> TestPlan.pull("/run7/", target)
                .exclude("*.key")
                .exclude("/.ssh/")
                .exclude(".bashrc");
        return Stream.of(
                attack("a tree", tree, Frames.directory("run7"), Frames.file(".bashrc", 1)),
                attack("a tree", tree, Frames.directory("run7"), Frames.file(".ssh/authorized_keys", 1)),
                attack("a tree", tree, Frames.directory(".ssh", 0777)),
                attack("a tree", tree, Frames.directory("", 0777)),
                attack("a tree", tree, Frames.link("run8", "/etc")),
                attack("a tree", tree, Frames.file("run70", 1)),
                attack("a tree", tree, Frames.directory("run7"), Frames.file("a", 1)),
                attack("two sources", two, Frames.file("file", 1), Frames.file("another", 1)),
                attack("two sources", two, Frames.directory("", 0777)),
                attack("a list", named, Frames.directory("", 0777)),
                attack("a list", named, Frames.file(".bashrc", 1)),
                attack("a list", named, Frames.file("run7", 1)),
                attack("a list", named, Frames.directory("d"), Frames.file("d/c", 1)),
                attack("a list", named, Frames.directory("d.ssh", 0777)),
                attack("a list", named, Frames.file("d", 1)),
                attack("a list", named, Frames.link("d", ".ssh")),
                attack("rules", filtered, Frames.file("run7", 1), Frames.file("id.key", 1)),
                attack("rules", filtered, Frames.directory(".ssh", 0777)),
                attack("rules", filtered, Frames.file(".ssh/authorized_keys", 1)),
                attack("rules", filtered, Frames.file(".bashrc", 1)),
                single(Frames.directory("", 0777)),
                single(Frames.directory("file", 0777)),
                single(Frames.directory(".ssh", 0777)),
                single(Frames.directory("brandnew")),
                single(Frames.file("file", 1)),
                single(Frames.link("file", "/etc/passwd")));
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void aPullRefusesWhatItDidNotRequest(Attack attack) throws Exception {
        try (TransferJob beside = honest.start(null, attack.pull.into(elsewhere.resolve(attack.target)));
                TransferJob pull = pull(attack.pull.into(home.resolve(attack.target)))) {
            RawLink link = settings(attack.single, attack.entries);
            SessionMessage.Failed told = link.next(SessionMessage.Failed.class);
            Summary summary = pull.await();

            assertThat(summary.kind()).as("%s", summary).isEqualTo(FailureKind.REFUSED);
            assertThat(summary.message()).startsWith(attack.refused() + ": ");
            assertThat(told).isNotNull();
            link.close();
            Map<String, String> after = unrequested();
            after.keySet().remove("d");
            assertThat(after).isEqualTo(before);
            assertThat(home.resolve("d/c")).doesNotExist();
            Summary good = beside.await();
            assertThat(good.failure()).as("%s", good).isNull();
            assertThat(good.files().inPlace()).isPositive();
        }
    }

    /** A requested link would lead from the one requested name to all others, in this copy or the next one. */
    @Test
    void aPullWritesNothingThroughALinkThatItsSenderMade() throws Exception {
        List<List<FileEntry>> copies = List.of(
                List.of(Frames.link("run7", "."), Frames.file("run7/.bashrc", 1)),
                List.of(Frames.directory("run7"), Frames.file("run7/.bashrc", 1), Frames.directory("run7/.ssh", 0777)));
        for (List<FileEntry> entries : copies) {
            try (TransferJob beside = honest.start(null, TestPlan.pull("/run7", elsewhere));
                    TransferJob pull = pull(TestPlan.pull("/run7", home))) {
                RawLink link = settings(false, entries);
                TransferMessage.Verdicts verdicts = link.next(TransferMessage.Verdicts.class);
                assertThat(verdicts).isNotNull();
                if (entries.get(0).kind() == FileEntry.Kind.LINK) {
                    assertThat(verdicts.exceptions())
                            .singleElement()
                            .satisfies(each -> assertThat(each.kind()).isEqualTo(TransferMessage.VerdictKind.FAILED));
                    assertThat(home.resolve("run7")).isSymbolicLink();
                }
                link.send(new TransferMessage.Finish(0, 0, "none", 0));
                Summary summary = pull.await();
                assertThat(summary.failure()).as("%s", summary).isNotNull();
                link.close();
                assertThat(beside.await().failure()).isNull();
            }
        }
        assertThat(Files.isDirectory(home.resolve("run7"), LinkOption.NOFOLLOW_LINKS))
                .as("the link itself is replaced")
                .isTrue();
        assertThat(unrequested()).isEqualTo(before);
    }

    private TransferJob pull(TestPlan plan) {
        return Fdt.at(directory.resolve("home-that-is-not-there"))
                .withKey(keyLine)
                .copy(plan.lanes(1).timeoutMs(Await.LIMIT_MS).at(hostile.port()), TransferObserver.NONE);
    }

    private RawLink settings(boolean single, List<FileEntry> entries) throws InterruptedException {
        RawLink link = hostile.open(TransferMessage.OpenTransfer.class, 1, false);
        link.send(new TransferMessage.SourceShape(single));
        link.send(new TransferMessage.ManifestPage(0, entries));
        return link;
    }

    static Stream<FileEntry> extras() {
        return Stream.of(
                Frames.directory("", 0777),
                Frames.directory("f", 0777),
                Frames.directory("keys", 0777),
                Frames.file("f", 1),
                Frames.file("g", 1));
    }

    @ParameterizedTest
    @MethodSource("extras")
    void aServerTakesNothingBesideASingleFile(FileEntry extra) throws Exception {
        Path keys = Files.createDirectory(
                exported.resolve("keys"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        String rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(exported));
        try (HostileClient client = new HostileClient(honest.address(), access(directory.resolve("honest-home")));
                TransferJob beside = honest.start(null, TestPlan.push(exported.resolve("file"), "/honest"))) {
            RawLink link = client.open(HostileClient.push("/new")).link();
            link.send(new TransferMessage.SourceShape(true));
            link.send(new TransferMessage.ManifestPage(0, List.of(Frames.file("f", 1), extra)));

            SessionMessage.Failed failed = link.next(SessionMessage.Failed.class);

            assertThat(failed).isNotNull();
            assertThat(failed.why().exitCode()).isEqualTo(FailureKind.REFUSED.exitCode());
            assertThat(failed.why().path()).isEqualTo(extra.path().display());
            link.close();
            assertThat(beside.await().failure()).isNull();
        }
        assertThat(exported.resolve("honest")).hasContent("f");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(exported)))
                .isEqualTo(rights);
        assertThat(exported.resolve("f")).doesNotExist();
        assertThat(exported.resolve("g")).doesNotExist();
    }

    /** A key without --owners, and a client that requests owners and all bits of the mode. */
    @ParameterizedTest
    @ValueSource(ints = {0, 027})
    void aServerGivesNoRightsBeyondItsMaskAndTheKey(int modeMask) throws Exception {
        Path serverHome = directory.resolve("masking-home");
        Path root = Files.createDirectory(directory.resolve("masked"));
        ServerSettings settings = ServerSettings.of(root);
        ExportedRoots roots = new ExportedRoots(List.of(RawPath.of(root)), false, modeMask);
        try (Serving server = Fdt.at(serverHome)
                        .serve(new ServerSettings(
                                settings.address(),
                                roots,
                                settings.limits(),
                                settings.transferLimits(),
                                settings.objects()));
                HostileClient client = new HostileClient(server.address(), access(serverHome));
                TransferJob beside = Fdt.at(serverHome)
                        .copy(TestPlan.push(exported.resolve("run7"), "/")
                                .at(server.address().getPort()))) {
            HostileClient.Opened open = client.open(HostileClient.push("/"));
            open.link().send(new TransferMessage.SourceShape(false));
            open.link()
                    .send(new TransferMessage.ManifestPage(
                            0, List.of(Frames.directory("d", 07777), Frames.file(new byte[] {'f'}, 5, 07777))));
            // A chunk of an entry that is not decided yet is dropped.
            assertThat(open.link().next(TransferMessage.Verdicts.class)).isNotNull();
            RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
            lane.send(Frames.chunk(open.session().sessionId(), 1, 0, "EVIL!".getBytes(StandardCharsets.UTF_8)));
            assertThat(open.link().next(TransferMessage.FilesDone.class)).isNotNull();
            open.link().send(new TransferMessage.Finish(5, 0, "none", 0));
            assertThat(open.link().next(TransferMessage.Finished.class)).isNotNull();
            lane.close();
            open.link().close();
            assertThat(mode(root.resolve("d"))).isEqualTo(0777 & ~modeMask);
            assertThat(mode(root.resolve("f"))).isEqualTo(0777 & ~modeMask);
            assertThat(beside.await().failure()).isNull();
            assertThat(mode(root.resolve("run7/a"))).isEqualTo(mode(exported.resolve("run7/a")) & ~modeMask);
        }
    }

    /** A client that leaves before the end, with a key without owners: what it gave stays. */
    @Test
    void abandonedSessionSetsNoDefaultAcl() throws Exception {
        Path serverHome = directory.resolve("default-home");
        Path root = Files.createDirectory(directory.resolve("default"));
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-x---"));
        Path kept = Files.createDirectory(root.resolve("kept"));
        byte[] operators = acl(5);
        setAttribute(kept, Acl.DEFAULT, operators);
        try (Serving server = Fdt.at(serverHome).serve(ServerSettings.of(root));
                HostileClient client = new HostileClient(server.address(), access(serverHome));
                TransferJob beside = Fdt.at(serverHome)
                        .copy(TestPlan.push(exported.resolve("run7"), "/")
                                .at(server.address().getPort()))) {
            HostileClient.Opened open = client.open(HostileClient.push("/"));
            open.link().send(new TransferMessage.SourceShape(false));
            open.link()
                    .send(new TransferMessage.ManifestPage(
                            0, List.of(opened(""), opened("d"), opened("kept"), Frames.directory("e", 0777))));
            assertThat(open.link().next(TransferMessage.Verdicts.class)).isNotNull();
            open.link().close();
            assertThat(mode(root)).isEqualTo(0750);
            assertThat(acls(root)).isEmpty();
            assertThat(mode(root.resolve("d"))).isEqualTo(0755);
            assertThat(mode(root.resolve("e"))).isEqualTo(0755);
            assertThat(acls(root.resolve("d")))
                    .as("no default ACL, and an ACL in which others cannot write")
                    .singleElement()
                    .satisfies(each -> assertThat(each.value()).isEqualTo(acl(5)));
            assertThat(acls(kept)).anySatisfy(each -> {
                assertThat(each.name()).isEqualTo(Acl.DEFAULT);
                assertThat(each.value()).isEqualTo(operators);
            });
            assertThat(beside.await().failure()).isNull();
        }
    }

    /** A directory that everybody could write to, by its mode and both of its ACLs. */
    private static FileEntry opened(String path) {
        FileEntry entry = Frames.directory(path, 0777);
        return entry.with(new EntryMetadata(
                0777,
                entry.modifiedSeconds(),
                0,
                0,
                0,
                List.of(new Attribute(Acl.ACCESS, acl(7)), new Attribute(Acl.DEFAULT, acl(7)))));
    }

    /** Everything for the owner, and these permissions for user 1234, the group and others. */
    private static byte[] acl(int permissions) {
        String rights = "0" + permissions + "00";
        return HexFormat.of()
                .parseHex("02000000" + "01000700ffffffff" + "0200" + rights + "d2040000" + "0400" + rights + "ffffffff"
                        + "1000" + rights + "ffffffff" + "2000" + rights + "ffffffff");
    }

    private static List<Attribute> acls(Path path) {
        int parentFd = Paths.openat(Paths.AT_FDCWD, RawPath.of(path.getParent()), Paths.O_PATH, 0);
        try (Descriptor parent = Descriptor.ofProcess(parentFd)) {
            RawPath name = RawPath.of(path.getFileName());
            return new AttributeReader(FailureKind.TARGET, false, true).read(parent.fd(), name, name);
        }
    }

    private static void setAttribute(Path path, RawPath name, byte[] value) {
        int fd = Paths.openat(Paths.AT_FDCWD, RawPath.of(path), Paths.O_RDONLY, 0);
        try (Descriptor file = Descriptor.ofProcess(fd)) {
            ByteBuffer memory = ByteBuffer.allocateDirect(value.length).put(value);
            assertThat(FileMetadata.setAttribute(file.fd(), name, Libc.addressOf(memory), value.length))
                    .isZero();
        }
    }

    private static int mode(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:mode") & 07777;
    }

    private static ServerAccess access(Path serverHome) {
        IssuedKey key = new KeyStore(serverHome).create("hostile", Permission.READ_WRITE, null);
        return ServerAccess.of(Identity.loadOrCreate(serverHome), key);
    }
}
