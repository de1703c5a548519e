package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Right;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.Operations;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key that may add new names changes nothing that exists, whatever its client asks for. */
class AppendOnlyTest {
    private static final FileTime OLD = FileTime.fromMillis(1_000_000_000_000L);

    @TempDir
    Path directory;

    private Path home;
    private Path root;
    private Path source;
    private String line;

    @BeforeEach
    void makeTrees() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        source = Files.createDirectories(directory.resolve("source"));
        for (String name : List.of("other", "sameSize", "mode", "was-link", "was-file", "newer", "further")) {
            Files.writeString(root.resolve(name), "kept " + name);
            Files.setLastModifiedTime(root.resolve(name), OLD);
        }
        Files.createSymbolicLink(root.resolve("link"), Path.of("other"));
        Files.createSymbolicLink(root.resolve("was-directory-link"), Path.of("sub"));
        Files.createDirectories(root.resolve("sub/below"));
        Files.writeString(root.resolve("sub/below/deep"), "kept deep");
        Files.createDirectories(root.resolve("was-directory"));
        Files.setPosixFilePermissions(root.resolve("sub"), PosixFilePermissions.fromString("rwx------"));

        Files.writeString(source.resolve("other"), "changed, and longer");
        Files.writeString(source.resolve("sameSize"), "KEPT sameSize");
        Files.setLastModifiedTime(source.resolve("sameSize"), OLD);
        Files.writeString(source.resolve("mode"), "kept mode");
        Files.setPosixFilePermissions(source.resolve("mode"), PosixFilePermissions.fromString("rwxr--r--"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("elsewhere"));
        Files.writeString(source.resolve("was-link"), "first name");
        Files.createLink(source.resolve("further"), source.resolve("was-link"));
        Files.createDirectories(source.resolve("was-file"));
        Files.writeString(source.resolve("was-directory"), "a file");
        Files.createDirectories(source.resolve("was-directory-link"));
        Files.createSymbolicLink(source.resolve("newer"), Path.of("nothing"));
        Files.createDirectories(source.resolve("sub/below"));
        Files.writeString(source.resolve("sub/below/deep"), "changed");
        Files.setPosixFilePermissions(source.resolve("sub"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setLastModifiedTime(source.resolve("sub"), OLD);

        IssuedKey key = new KeyStore(home)
                .create(
                        "guest",
                        new Permission(EnumSet.of(Right.LIST, Right.READ, Right.APPEND), false, List.of()),
                        null);
        line = ServerAccess.of(Identity.loadOrCreate(home), key).toLine();
    }

    /** Describes everything below the root: kind, content, mode, owner, and the time of what is no directory. */
    private Map<String, String> state() throws IOException {
        Map<String, String> state = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.toList()) {
                String content = Files.isSymbolicLink(path)
                        ? Files.readSymbolicLink(path).toString()
                        : Files.isRegularFile(path) ? Files.readString(path) : "";
                boolean isDirectory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
                Map<String, Object> attributes = Files.readAttributes(
                        path,
                        isDirectory ? "unix:mode,uid" : "unix:mode,uid,lastModifiedTime",
                        LinkOption.NOFOLLOW_LINKS);
                state.put(root.relativize(path).toString(), content + " " + new TreeMap<>(attributes));
            }
        }
        return state;
    }

    @Test
    void noCopyChangesWhatExists() throws Exception {
        Map<String, String> before = state();
        try (TestServer server = new TestServer(home, root)) {
            for (Existing existing : Existing.values()) {
                for (Comparison comparison : Comparison.values()) {
                    String rules = existing + " " + comparison;
                    Summary tree = server.run(
                            line,
                            TestPlan.push(source + "/", "/")
                                    .existing(existing, comparison)
                                    .preserve(Preserve.values()));
                    assertThat(state()).as(rules).isEqualTo(before);
                    assertThat(tree.kind()).as(rules).isEqualTo(FailureKind.SOME_FILES_FAILED);
                    Summary file = server.run(
                            line,
                            TestPlan.push(source.resolve("other"), "/other").existing(existing, comparison));
                    assertThat(state()).as(rules).isEqualTo(before);
                    assertThat(file.failure() == null).as(rules).isEqualTo(existing == Existing.SKIP);
                }
            }
            Summary mirror = server.run(line, TestPlan.push(source + "/", "/").mirror());
            assertThat(mirror.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(mirror.message()).contains("does not permit to delete");
        }
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void noOperationChangesWhatExists() throws Exception {
        Files.writeString(root.resolve(".left.fdt-partial"), "unfinished");
        Map<String, String> before = state();
        List<String> failures = new CopyOnWriteArrayList<>();
        try (TestServer server = new TestServer(home, root)) {
            Fdt fdt = Fdt.at(home).withKey(line);
            try (Operations operations = fdt.operations("127.0.0.1", server.port(), Await.LIMIT_MS)) {
                for (FileOperation each : List.of(
                        operation(Action.REMOVE, true, "/sub"),
                        operation(Action.REMOVE, false, "/other"),
                        operation(Action.MOVE, false, "/other", "/new"),
                        operation(Action.MOVE, false, "/sub", "/other"),
                        operation(Action.MAKE_DIRECTORY, false, "/other"))) {
                    FailureKind failure =
                            operations.start(each, collecting(failures)).await().kind();
                    assertThat(failure).as(each + " " + failures).isNotNull();
                }
                operations
                        .start(operation(Action.MAKE_DIRECTORY, true, "/sub/below"), collecting(failures))
                        .await();
                assertThat(state()).isEqualTo(before);

                operations
                        .start(operation(Action.MAKE_DIRECTORY, true, "/made/deep"), collecting(failures))
                        .await();
                assertThat(root.resolve("made/deep")).isDirectory();
            }
        }
    }

    private static FileOperation operation(Action action, boolean deep, String... paths) {
        return new FileOperation(action, Stream.of(paths).map(RawPath::ofText).toList(), deep, DigestKind.XXH3_128);
    }

    private static OperationObserver collecting(List<String> failures) {
        return new OperationObserver() {
            @Override
            public void onEntry(ListObserver.Entry entry, byte[] digest, @Nullable String doubt) {}

            @Override
            public void onFailed(RawPath path, Failure why) {
                failures.add(why.text());
            }
        };
    }

    @Test
    void newNamesAreAddedWithTheirMetadataAndCanBeSentAgain() throws Exception {
        Path added = Files.createDirectories(directory.resolve("added/sub/fresh"));
        Files.writeString(added.resolve("file"), "new");
        Files.createSymbolicLink(added.resolve("link"), Path.of("file"));
        Files.setLastModifiedTime(added.resolve("file"), OLD);
        Files.setLastModifiedTime(added, OLD);
        Files.setPosixFilePermissions(added, PosixFilePermissions.fromString("r-xr-x---"));
        Map<String, String> before = state();
        try (TestServer server = new TestServer(home, root)) {
            for (int times = 0; times < 2; times++) {
                Summary summary = server.run(line, TestPlan.push(directory.resolve("added") + "/", "/"));
                assertThat(summary.failure()).as("%s", summary).isNull();
            }
        }
        Path fresh = root.resolve("sub/fresh");
        assertThat(fresh.resolve("file")).hasContent("new");
        assertThat(Files.readSymbolicLink(fresh.resolve("link"))).isEqualTo(Path.of("file"));
        assertThat(Files.getLastModifiedTime(fresh.resolve("file"))).isEqualTo(OLD);
        assertThat(Files.getLastModifiedTime(fresh)).isEqualTo(OLD);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
                .isEqualTo("r-xr-x---");
        assertThat(state()).containsAllEntriesOf(before);
    }

    @Test
    void aNewTargetGetsTheMetadataOfItsSourceOnce() throws Exception {
        Path added = Files.createDirectories(directory.resolve("added"));
        Path made = root.resolve("new/top");
        try (TestServer server = new TestServer(home, root)) {
            for (String mode : List.of("rwxr-x---", "rwxrwxrwx")) {
                Files.setPosixFilePermissions(added, PosixFilePermissions.fromString(mode));
                Files.setLastModifiedTime(added, OLD);
                Summary summary = server.run(line, TestPlan.push(added + "/", "/new/top/"));
                assertThat(summary.failure()).as("%s", summary).isNull();
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                        .isEqualTo("rwxr-x---");
                assertThat(Files.getLastModifiedTime(made)).isEqualTo(OLD);
            }
        }
    }

    @Test
    void anInterruptedCopyOfANewNameResumes() throws Exception {
        Path big = source.resolve("big");
        Files.write(big, new byte[24 << 20]);
        try (TestServer server = new TestServer(home, root)) {
            try (TransferJob first =
                    server.start(line, TestPlan.push(big, "/big").rate(16_000_000))) {
                Await.until("it moves", () -> first.progress().bytes().moved().durable() > 2 << 20);
                first.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
                assertThat(first.await().kind()).isEqualTo(FailureKind.INTERRUPTED);
            }
            Await.until("its session has ended", () -> server.ended.size() == 1);
            Summary second = server.run(line, TestPlan.push(big, "/big"));
            assertThat(second.failure()).as("%s", second).isNull();
            assertThat(second.bytes().resumed()).isPositive();
            assertThat(root.resolve("big")).hasSameBinaryContentAs(big);
        }
    }
}
