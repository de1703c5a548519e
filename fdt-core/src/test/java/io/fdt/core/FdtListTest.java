package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListJob;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.ListSummary;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listings through the library's facade, over real sockets and files, with both ends in this process. */
class FdtListTest {
    private static final String PARTIAL = ".fdt.0123456789abcdef.part";

    @TempDir
    Path directory;

    private Path root;
    private TestServer server;

    @BeforeEach
    void startServer() throws IOException {
        root = Files.createDirectory(directory.resolve("data"));
        server = new TestServer(directory.resolve("home"), root);
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    private static final class Told implements ListObserver {
        final Map<String, Entry> entries = new TreeMap<>();
        final List<String> unreadable = new ArrayList<>();
        final List<Space> spaces = new ArrayList<>();

        @Override
        public synchronized void onEntry(Entry entry) {
            assertThat(entries.put(entry.path().text(), entry)).isNull();
        }

        @Override
        public void onUnreadable(Failure why) {
            unreadable.add(why.text());
        }

        @Override
        public void onSpace(Space space) {
            spaces.add(space);
        }
    }

    private ListSummary list(Told told, String path, boolean recursive, boolean space) throws InterruptedException {
        ListPlan plan =
                new ListPlan("127.0.0.1", server.port(), RawPath.ofText(path), recursive, space, Await.LIMIT_MS);
        try (ListJob job = Fdt.at(directory.resolve("home")).list(plan, told)) {
            return job.await();
        }
    }

    private Told list(String path, boolean recursive) throws InterruptedException {
        Told told = new Told();
        ListSummary summary = list(told, path, recursive, false);
        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.entries()).isEqualTo(told.entries.size());
        return told;
    }

    private void fill() throws IOException, InterruptedException {
        Files.writeString(root.resolve("a"), "hello");
        Files.setLastModifiedTime(root.resolve("a"), FileTime.from(Instant.ofEpochSecond(1_700_000_000, 5_000)));
        Files.setPosixFilePermissions(root.resolve("a"), PosixFilePermissions.fromString("rw-r-----"));
        Files.createDirectories(root.resolve("d/e"));
        Files.writeString(root.resolve("d/e/f"), "12");
        Files.writeString(root.resolve(".hidden"), "");
        Files.createSymbolicLink(root.resolve("link"), Path.of("d"));
        Files.createSymbolicLink(root.resolve("out"), Path.of("../../.."));
        Files.writeString(root.resolve(PARTIAL), "unfinished");
        assertThat(new ProcessBuilder("mkfifo", root.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void listsWhatADirectoryHoldsOfEveryKind() throws Exception {
        fill();
        Told told = list("/", false);

        assertThat(told.entries.keySet()).containsExactly(".hidden", "a", "d", "link", "out", "pipe");
        ListObserver.Entry file = told.entries.get("a");
        assertThat(file)
                .isEqualTo(new ListObserver.Entry(
                        RawPath.ofText("a"), ListObserver.ListedKind.FILE, 5, 0640, 1_700_000_000, 5_000, null));
        assertThat(told.entries.get("d").kind()).isEqualTo(ListObserver.ListedKind.DIR);
        assertThat(told.entries.get("pipe").kind()).isEqualTo(ListObserver.ListedKind.OTHER);
        assertThat(told.entries.get("link").kind()).isEqualTo(ListObserver.ListedKind.LINK);
        assertThat(told.entries.get("link").linkTarget()).isEqualTo(RawPath.ofText("d"));
        assertThat(list("", false).entries.keySet()).isEqualTo(told.entries.keySet());
    }

    @Test
    void listsAllThatIsBelowAndFollowsNoLinkThere() throws Exception {
        fill();

        assertThat(list("/", true).entries.keySet())
                .containsExactly(".hidden", "a", "d", "d/e", "d/e/f", "link", "out", "pipe");
        assertThat(list("/d/", true).entries.keySet()).containsExactly("e", "e/f");
        assertThat(list("/d/e/f", true).entries.keySet()).containsExactly("f");
        assertThat(list("/link", false).entries.keySet())
                .as("a link inside the root")
                .containsExactly("e");
    }

    @Test
    void listsWhatAPatternMatchesAndALiteralNameFirst() throws Exception {
        fill();
        for (String name : List.of("r1/x.bin", "r1/y.txt", "r2/x.bin", "r2/d.bin/z", "r1/.h.bin", "[ab]", "b")) {
            Path file = root.resolve("p").resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "");
        }
        assertThat(list("/p/r1/*.bin", false).entries.keySet()).containsExactly("x.bin");
        assertThat(list("/p/r?/*.bin", false).entries.keySet()).containsExactly("r1/x.bin", "r2/d.bin", "r2/x.bin");
        assertThat(list("/p/r[2-9]/*.bin", true).entries.keySet())
                .containsExactly("r2/d.bin", "r2/d.bin/z", "r2/x.bin");
        assertThat(list("/p/r*/", false).entries.keySet())
                .containsExactly("r1/.h.bin", "r1/x.bin", "r1/y.txt", "r2/d.bin", "r2/x.bin");
        assertThat(list("/p/[ab]", false).entries.keySet())
                .as("the literal name")
                .containsExactly("[ab]");
        for (String none : List.of("/p/*.none", "/out/*", "/../*", "/*/passwd", "/p/x*/y", "/p/b/*")) {
            Told told = new Told();
            ListSummary summary = list(told, none, true, false);
            assertThat(summary.kind()).as(none).isEqualTo(FailureKind.SOURCE);
            assertThat(summary.message()).contains(none + ": nothing matches this pattern");
            assertThat(told.entries).isEmpty();
        }
    }

    @Test
    void missingOrUnreadablePathHasSourceExitCode() throws Exception {
        fill();
        for (String path : List.of("/none", "/none/", "/a/b", "/../home", "/out/etc", "/out")) {
            Told told = new Told();
            ListSummary summary = list(told, path, true, false);
            if (path.equals("/out")) {
                assertThat(told.entries.keySet()).as("the link itself").isSubsetOf("out");
                continue;
            }
            assertThat(told.entries).as(path).isEmpty();
            assertThat(summary.kind()).as(path).isIn(FailureKind.SOURCE, FailureKind.REFUSED);
        }
    }

    @Test
    void reportsSpaceAndUnfinishedCopies() throws Exception {
        fill();
        Files.writeString(root.resolve("d/" + PARTIAL), "more");
        Told told = new Told();
        ListSummary summary = list(told, "/", true, true);

        assertThat(summary.unfinishedFiles()).isEqualTo(2);
        assertThat(summary.unfinishedBytes()).isEqualTo("unfinished".length() + "more".length());
        assertThat(told.entries).doesNotContainKey(PARTIAL);
        assertThat(told.spaces).singleElement().satisfies(space -> {
            assertThat(space.path()).isEqualTo(RawPath.ofText("/"));
            assertThat(space.bytes()).isEqualTo(Files.getFileStore(root).getTotalSpace());
            assertThat(space.freeBytes()).isBetween(0L, space.bytes());
            assertThat(space.freeFiles()).isLessThanOrEqualTo(space.files());
        });
    }

    @Test
    void listsMorePagesThanTheWindow() throws Exception {
        Path many = Files.createDirectory(root.resolve("many"));
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            Files.createFile(many.resolve("f" + i));
        }
        assertThat(list("/many", false).entries).hasSize(count);
    }

    @Test
    void listsSeveralRootsByName() throws Exception {
        fill();
        Path other = Files.createDirectories(directory.resolve("elsewhere/other"));
        Files.writeString(other.resolve("o"), "");
        Files.createDirectory(root.resolve("other"));
        server.close();
        server = new TestServer(directory.resolve("home"), root, other);

        assertThat(list("", false).entries.keySet()).containsExactly("/data", "/other");
        assertThat(list("/other", false).entries.keySet()).containsExactly("o");
        assertThat(list("/data", false).entries).containsKey("a").containsKey("other");
        assertThat(list("/data/d", false).entries.keySet()).containsExactly("e");
    }

    /** The results of a cleanup: the paths that were removed, and those that were kept. */
    private static final class Cleaned implements ListObserver {
        final Set<String> removed = new TreeSet<>();
        final Map<String, String> kept = new TreeMap<>();

        @Override
        public void onEntry(Entry entry) {
            removed.add(entry.path().text());
        }

        @Override
        public void onKept(Entry entry, String reason) {
            kept.put(entry.path().text(), reason);
        }
    }

    private ListSummary clean(Cleaned told, String host, String path, Cleaning cleaning) throws InterruptedException {
        ListPlan plan = new ListPlan(host, server.port(), RawPath.ofText(path), true, false, Await.LIMIT_MS, cleaning);
        try (ListJob job = Fdt.at(directory.resolve("home")).list(plan, told)) {
            return job.await();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", ""})
    void cleaningRemovesOnlyUnusedPartials(String host) throws Exception {
        fill();
        Path deep = Files.createDirectories(root.resolve("d/e"));
        Files.writeString(deep.resolve(PARTIAL), "more");
        Files.createFile(deep.resolve(".fdt.0123456789abcdef.journal"));
        Files.createFile(deep.resolve(".fdt.0123456789abcdef.0007.journal"));
        Files.createSymbolicLink(deep.resolve(".fdt.0123456789abcdef.link"), Path.of("anywhere"));
        // The directory has its name, and the run was killed before this link was removed.
        Files.createFile(deep.resolve(".fdt.1111111111111111.link"));
        Files.writeString(
                root.resolve(".fdt.aaaaaaaaaaaaaaaa.journal"), "written by somebody else, in some other tool");
        Files.createSymbolicLink(root.resolve(".fdt.bbbbbbbbbbbbbbbb.part"), deep.resolve(PARTIAL));
        Files.createFile(root.resolve(".fdt.lost"));
        Files.createFile(root.resolve(".fdt.short.part"));
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve(PARTIAL), "of others");
        Files.createSymbolicLink(root.resolve("elsewhere"), outside);
        String path = host.isEmpty() ? root.toString() : "/";

        Cleaned young = new Cleaned();
        ListSummary summary = clean(young, host, path, new Cleaning(86_400, false));
        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(young.removed).isEmpty();
        assertThat(young.kept).containsEntry(PARTIAL, "is younger than --older").hasSize(8);

        Cleaned dry = new Cleaned();
        clean(dry, host, path, new Cleaning(0, true));
        assertThat(deep.resolve(PARTIAL)).exists();

        Cleaned told = new Cleaned();
        summary = clean(told, host, path, new Cleaning(0, false));
        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(told.removed)
                .isEqualTo(dry.removed)
                .containsExactly(
                        PARTIAL,
                        "d/e/.fdt.0123456789abcdef.0007.journal",
                        "d/e/.fdt.0123456789abcdef.journal",
                        "d/e/.fdt.0123456789abcdef.link",
                        "d/e/" + PARTIAL,
                        "d/e/.fdt.1111111111111111.link");
        assertThat(summary.entries()).isEqualTo(6);
        assertThat(summary.bytes()).isEqualTo("unfinished".length() + "more".length());
        assertThat(summary.unfinishedFiles()).isEqualTo(2);
        assertThat(told.kept)
                .containsOnlyKeys(".fdt.aaaaaaaaaaaaaaaa.journal", ".fdt.bbbbbbbbbbbbbbbb.part")
                .allSatisfy((name, reason) -> assertThat(reason).endsWith("was not written by fdt"));
        assertThat(root.resolve(PARTIAL)).doesNotExist();
        assertThat(deep).isDirectoryNotContaining("glob:**/.fdt.*").isDirectoryContaining("glob:**/f");
        assertThat(outside.resolve(PARTIAL)).exists();
        assertThat(root).isDirectoryContaining("glob:**/.fdt.lost").isDirectoryContaining("glob:**/.fdt.short.part");
    }

    /** A symbolic link has no lock, so it stays while a copy has its directory open. */
    @Test
    void cleaningKeepsLinksBesideARunningSession() throws Exception {
        Files.createSymbolicLink(root.resolve(".fdt.0123456789abcdef.link"), Path.of("anywhere"));
        int held = Paths.openat(Paths.AT_FDCWD, RawPath.of(root), Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        assertThat(Descriptor.lockRangeShared(held, 5, 1)).isZero();
        Cleaned during = new Cleaned();
        clean(during, "127.0.0.1", "/", new Cleaning(0, false));
        Descriptor.closeFd(held);
        assertThat(during.removed).isEmpty();
        assertThat(during.kept).hasSize(1);

        Cleaned after = new Cleaned();
        clean(after, "127.0.0.1", "/", new Cleaning(0, false));
        assertThat(after.removed).containsExactly(".fdt.0123456789abcdef.link");
    }

    @Test
    void cleaningKeepsWhatASessionHasLocked() throws Exception {
        Files.writeString(root.resolve(PARTIAL), "locked");
        Files.createFile(root.resolve(".fdt.0123456789abcdef.journal"));
        for (boolean range : new boolean[] {false, true}) {
            int fd = Paths.openat(
                    Paths.AT_FDCWD, RawPath.ofText(root.resolve(PARTIAL).toString()), Paths.O_RDWR, 0);
            try {
                assertThat(Descriptor.lockRange(fd, 1, range ? 2 : 0)).isZero();
                Cleaned told = new Cleaned();
                ListSummary summary = clean(told, "127.0.0.1", "/", new Cleaning(0, false));
                assertThat(summary.failure()).isNull();
                assertThat(told.removed).isEmpty();
                assertThat(told.kept)
                        .hasSize(2)
                        .allSatisfy(
                                (name, reason) -> assertThat(reason).contains("another copy is writing this target"));
            } finally {
                Descriptor.closeFd(fd);
            }
        }
        assertThat(root.resolve(PARTIAL)).exists();
    }

    @Test
    void cleaningTakesOnlyADirectoryThatIsThere() throws Exception {
        Files.writeString(root.resolve(PARTIAL), "");
        for (String path : List.of("/none", "/" + PARTIAL, "/../home")) {
            ListSummary summary = clean(new Cleaned(), "127.0.0.1", path, new Cleaning(0, false));
            assertThat(summary.kind()).as(path).isIn(FailureKind.SOURCE, FailureKind.REFUSED);
        }
        assertThat(clean(new Cleaned(), "", root + "/none", new Cleaning(0, false))
                        .kind())
                .isEqualTo(FailureKind.SOURCE);
        assertThat(root.resolve(PARTIAL)).exists();
    }

    @Test
    void refusesTwoRootsOfOneName() throws IOException {
        Path other = Files.createDirectories(directory.resolve("elsewhere/data"));
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> new TestServer(directory.resolve("home2"), root, other))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("two exported roots are called data");
    }
}
