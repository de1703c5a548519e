package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.sun.jna.Function;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.WalkingResolver;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Acl;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Posix;
import io.fdt.core.storage.source.SourceTreeTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTreeTest extends StorageTest {
    private final List<String> directoryProblems = new ArrayList<>();

    private void finish(Target target) {
        target.finishDirectories((path, failure) -> directoryProblems.add(failure.getMessage()));
        target.syncRest();
        target.syncFileSystem();
    }

    private TargetTree open(Root root, String target, boolean single) {
        return new TargetTree(root, raw(target), rules(Existing.SKIP_SAME), DigestKind.XXH3_128, CHUNK_BYTES, single);
    }

    @ParameterizedTest
    @CsvSource({
        "out, false, out/name",
        "out/new/deep, false, out/new/deep/name",
        "new, true, new",
        "new/, true, new/name",
        "out, true, out/name",
        "out/., true, out/name",
        "to-out, true, out/name",
        "old, true, old",
        "missing/new, true, missing/new",
        "/new, true, new",
        "out/../new, true, new",
    })
    void putsAFileWhereCopiersDo(String target, boolean single, String expected) throws IOException {
        directory("out");
        file("old", "old");
        Files.createSymbolicLink(temporary.resolve("to-out"), Path.of("out"));
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary), resolver);
                    TargetTree tree = open(root, target, single)) {
                deliver(tree, fileEntry("name", 3), bytes("new"));
            }
            assertThat(temporary.resolve(expected)).hasContent("new");
            Files.delete(temporary.resolve(expected));
        }
    }

    @Test
    void putsAFileWhereTheLocalUserSays() throws IOException {
        directory("real/deep");
        Files.createSymbolicLink(temporary.resolve("away"), temporary.resolve("real"));
        try (Root root = Root.unconfined(raw(temporary.resolve("real/deep")))) {
            try (TargetTree tree = open(root, temporary.resolve("away/x").toString(), true)) {
                deliver(tree, fileEntry("name", 1), bytes("1"));
            }
            try (TargetTree tree = open(root, "../y", true)) {
                deliver(tree, fileEntry("name", 1), bytes("2"));
            }
            try (TargetTree tree = open(root, "z", true)) {
                deliver(tree, fileEntry("name", 1), bytes("3"));
            }
            try (TargetTree tree = open(root, "../made/on/the/way/", true)) {
                deliver(tree, fileEntry("name", 1), bytes("4"));
            }
        }
        assertThat(temporary.resolve("real/x")).hasContent("1");
        assertThat(temporary.resolve("real/y")).hasContent("2");
        assertThat(temporary.resolve("real/deep/z")).hasContent("3");
        assertThat(temporary.resolve("real/made/on/the/way/name")).hasContent("4");
    }

    /** Two directories of the source that are one here would put their files in each other's place. */
    @ParameterizedTest
    @CsvSource({"link, real", "real, link", "link, other", "real, real/back"})
    void refusesASecondPathToADirectory(String first, String second) throws IOException {
        directory("out/real/sub");
        Files.createSymbolicLink(temporary.resolve("out/link"), Path.of("real"));
        Files.createSymbolicLink(temporary.resolve("out/other"), Path.of("link"));
        Files.createSymbolicLink(temporary.resolve("out/real/back"), Path.of("../real"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            for (String path : List.of(first, first + "/sub")) {
                tree.prepare(directoryEntry(path, 0755));
                deliver(tree, fileEntry(path + "/f", 1), bytes("1"));
            }
            TransferException why = failure(() -> tree.prepare(directoryEntry(second, 0755)));
            assertThat(why.kind()).isEqualTo(FailureKind.TARGET);
            assertThat(why)
                    .hasMessage("out/" + second + ": is the same directory as out/" + first
                            + ", where this copy has put another directory of the source");
            for (String path : List.of(second, second + "/sub")) {
                assertThat(failure(() -> tree.prepare(fileEntry(path + "/f", 1)))
                                .kind())
                        .isEqualTo(FailureKind.TARGET);
            }
        }
        assertThat(temporary.resolve("out/real/f")).hasContent("1");
        assertThat(temporary.resolve("out/real/sub/f")).hasContent("1");
    }

    /** Where the file system takes two names for one, it may be another entry of this very copy. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void replacesOnlyWhatItHasSeen(boolean made) throws IOException {
        directory(made ? "out" : "out/d");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            tree.prepare(directoryEntry("d", 0755));
            try (TargetFile file = wanted(tree.prepare(fileEntry("d/f", 1)))) {
                write(file, bytes("1"), 0);
                file("out/d/f", "other");
                file.sync();
                file.seal();
                assertThatThrownBy(file::publish).hasMessage("out/d/f: was created by another program during the copy");
            }
        }
        assertThat(temporary.resolve("out/d/f")).hasContent("other");
    }

    @Test
    void givesAFileItsFinalNameOnlyAtTheEnd() throws IOException {
        file("out/name", "old");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false);
                TargetFile file = wanted(tree.prepare(fileEntry("name", 3)))) {
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("name");
            write(file, bytes("new"), 0);
            assertThat(namesIn(temporary.resolve("out"))).hasSize(2);
            file.sync();
            file.seal();
            assertThat(temporary.resolve("out/name")).hasContent("old");
            file.publish();
            assertThat(temporary.resolve("out/name")).hasContent("new");
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("name");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0400, 0111, 0640, 01777, 06755, 0777, 07777})
    void givesModesAndTimes(int mode) throws IOException {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            assertThat(tree.prepare(directoryEntry("d", mode))).isInstanceOf(Outcome.Made.class);
            deliver(tree, fileEntry(raw("d/f"), 1, mode), bytes("x"));
            assertThat(tree.prepare(directoryEntry("d/e", 0700))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("d/l", "nowhere"))).isInstanceOf(Outcome.Made.class);
            finish(tree);
        }
        FileStatus directory = statusOf(temporary.resolve("out/d"));
        assertThat(directory.mode()).isEqualTo(mode & 0777);
        assertThat(directory.modifiedSeconds).isEqualTo(1_400_000_000L);
        assertThat(directory.modifiedNanos).isEqualTo(987_654_321);
        // So that others than root can look inside.
        Files.setPosixFilePermissions(temporary.resolve("out/d"), PosixFilePermissions.fromString("rwx------"));
        FileStatus file = statusOf(temporary.resolve("out/d/f"));
        assertThat(file.mode()).as("setuid, setgid and sticky are dropped").isEqualTo(mode & 0777);
        assertThat(file.modifiedSeconds).isEqualTo(1_500_000_000L);
        assertThat(file.modifiedNanos).isEqualTo(123_456_789);
        FileStatus link = statusOf(temporary.resolve("out/d/l"));
        assertThat(link.modifiedSeconds).isEqualTo(1_300_000_000L);
        assertThat(directoryProblems).isEmpty();
    }

    @Test
    void keepsSetuidWhenRootPreservesTheOwner() {
        Assumptions.assumeTrue(Posix.isRoot(), "needs root");
        FileEntry entry = new FileEntry(raw("f"), Kind.FILE, 0, 06755, 1, 2, 1234, 2345, false, null, List.of());
        TargetRules rules = rules(Existing.OVERWRITE, EnumSet.of(Preserve.MODE, Preserve.OWNER));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            deliver(tree, entry, new byte[0]);
        }
        FileStatus status = statusOf(temporary.resolve("out/f"));
        assertThat(status.mode()).isEqualTo(06755);
        assertThat(status.uid).isEqualTo(1234);
        assertThat(status.gid).isEqualTo(2345);
    }

    /** A change of owner takes both away, so they come after it. */
    @Test
    void keepsCapabilitiesWhenRootPreservesTheOwner() throws IOException {
        Assumptions.assumeTrue(Posix.isRoot(), "needs root");
        byte[] rawNetwork = HexFormat.of().parseHex("0100000200200000000000000000000000000000");
        FileEntry.Attribute capability = new FileEntry.Attribute(raw("security.capability"), rawNetwork);
        FileEntry entry =
                new FileEntry(raw("f"), Kind.FILE, 1, 04755, 1, 2, 1234, 2345, false, null, List.of(capability));
        TargetRules rules = rules(Existing.SKIP_SAME, EnumSet.allOf(Preserve.class));
        for (boolean again : new boolean[] {false, true}) {
            try (Root root = Root.confined(raw(temporary));
                    TargetTree tree = targetTree(root, "out", rules)) {
                if (again) {
                    assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Skipped.class);
                } else {
                    deliver(tree, entry, bytes("x"));
                }
            }
            FileStatus status = statusOf(temporary.resolve("out/f"));
            assertThat(status.mode()).isEqualTo(04755);
            assertThat(status.uid).isEqualTo(1234);
            assertThat(attributes("out/f"))
                    .containsOnlyKeys("security.capability")
                    .hasEntrySatisfying(
                            "security.capability", value -> assertThat(value).isEqualTo(rawNetwork));
        }
    }

    @Test
    void givesNothingThatTheRootMasks() throws IOException {
        file("out/same", "s");
        setModified(temporary.resolve("out/same"), 1_500_000_000L, 123_456_789);
        try (Root root = Root.confined(raw(temporary), 027);
                TargetTree tree = targetTree(root, "out/new/deep", rules(Existing.SKIP_SAME));
                TargetTree old = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            assertThat(tree.prepare(directoryEntry("d", 07777))).isInstanceOf(Outcome.Made.class);
            deliver(tree, fileEntry(raw("d/f"), 1, 07777), bytes("x"));
            assertThat(old.prepare(fileEntry(raw("same"), 1, 0666))).isInstanceOf(Outcome.Skipped.class);
            finish(tree);
        }
        assertThat(statusOf(temporary.resolve("out/new")).mode()).isEqualTo(Umask.apply(0750));
        assertThat(statusOf(temporary.resolve("out/new/deep/d")).mode()).isEqualTo(0750);
        assertThat(statusOf(temporary.resolve("out/new/deep/d/f")).mode()).isEqualTo(0750);
        assertThat(statusOf(temporary.resolve("out/same")).mode()).isEqualTo(0640);
    }

    /** The operator has shared it; a client cannot end that, as it cannot begin it. */
    @Test
    void leavesADirectorySetgidAndSticky() throws IOException {
        Path shared = directory("out/shared");
        Files.setAttribute(shared, "unix:mode", 03777);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            assertThat(tree.prepare(directoryEntry("shared", 0755))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(directoryEntry("shared/new", 0750))).isInstanceOf(Outcome.Made.class);
            finish(tree);
        }
        assertThat(statusOf(shared).mode()).isEqualTo(03755);
        assertThat(statusOf(shared.resolve("new")).mode()).as("inherited").isEqualTo(02750);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void changesNoOtherNameOfAFileThatItKeeps(boolean compareDigest) throws IOException {
        Path other = file("elsewhere", "abc");
        Files.createLink(directory("out").resolve("f"), other);
        setModified(other, compareDigest ? 1_400_000_000L : 1_500_000_000L, 123_456_789);
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-------"));
        FileStatus before = statusOf(other);
        TargetRules rules = new TargetRules(Existing.SKIP_SAME, compareDigest, Durability.END, true, USUAL);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            deliver(tree, fileEntry("f", 3), bytes("abc"));
        }
        FileStatus after = statusOf(other);
        assertThat(after.mode()).isEqualTo(before.mode());
        assertThat(after.modifiedSeconds).isEqualTo(before.modifiedSeconds);
        FileStatus copied = statusOf(temporary.resolve("out/f"));
        assertThat(copied.inode).isNotEqualTo(after.inode);
        assertThat(copied.mode()).isEqualTo(0644);
        assertThat(copied.modifiedSeconds).isEqualTo(1_500_000_000L);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            Files.createLink(temporary.resolve("out/g"), temporary.resolve("out/f"));
            assertThat(tree.prepare(fileEntry("g", 3))).as("nothing to change").isInstanceOf(Outcome.Skipped.class);
            // It was compared, and got its second name meanwhile.
            Files.setPosixFilePermissions(temporary.resolve("out/f"), PosixFilePermissions.fromString("rw-------"));
            tree.keep(fileEntry("f", 3));
            assertThat(statusOf(temporary.resolve("out/g")).mode()).isEqualTo(0600);
        }
    }

    @Test
    void mendsTheTimeAndOwnerOfALinkThatLeadsWhereItShould() throws IOException {
        directory("out");
        Path link = Files.createSymbolicLink(temporary.resolve("out/l"), Path.of("x"));
        Path other = Files.createSymbolicLink(temporary.resolve("out/shared"), Path.of("x"));
        Files.createLink(temporary.resolve("elsewhere"), other);
        FileStatus before = statusOf(other);
        FileEntry owned = new FileEntry(
                raw("owned"), Kind.LINK, 0, 0777, 1_300_000_000L, 0, 1234, 2345, false, raw("x"), List.of());
        try (Root root = Root.confined(raw(temporary));
                TargetTree skipping = targetTree(root, "out", rules(Existing.SKIP));
                TargetTree tree = open(root, "out", false);
                TargetTree owning = targetTree(
                        root, "out", rules(Existing.SKIP_SAME, EnumSet.of(Preserve.LINKS, Preserve.OWNER)))) {
            assertThat(skipping.prepare(linkEntry("l", "x"))).isInstanceOf(Outcome.Skipped.class);
            assertThat(statusOf(link).modifiedSeconds).isNotEqualTo(1_300_000_000L);
            assertThat(tree.prepare(linkEntry("l", "x"))).isInstanceOf(Outcome.Skipped.class);
            assertThat(tree.prepare(linkEntry("shared", "x"))).isInstanceOf(Outcome.Made.class);
            if (Posix.isRoot()) {
                Path mine = Files.createSymbolicLink(temporary.resolve("out/owned"), Path.of("x"));
                assertThat(owning.prepare(owned)).isInstanceOf(Outcome.Skipped.class);
                assertThat(statusOf(mine).uid).isEqualTo(1234);
                assertThat(statusOf(mine).gid).isEqualTo(2345);
            }
        }
        assertThat(statusOf(link).modifiedSeconds).isEqualTo(1_300_000_000L);
        assertThat(statusOf(other).modifiedSeconds).isEqualTo(1_300_000_000L);
        assertThat(statusOf(temporary.resolve("elsewhere")).modifiedSeconds).isEqualTo(before.modifiedSeconds);
    }

    private Map<String, byte[]> attributes(String path) {
        int fd = Posix.openat(Posix.AT_FDCWD, raw(temporary), Posix.O_PATH | Posix.O_DIRECTORY, 0);
        try (Descriptor held = new Descriptor(fd)) {
            Map<String, byte[]> found = new TreeMap<>();
            Objects.requireNonNull(new AttributeReader(true, false).read(held.fd(), raw(path)))
                    .forEach(each -> found.put(each.name().text(), each.value()));
            return found;
        }
    }

    @Test
    void refusesAnAclThatNoKernelGivesAndGivesNoOtherSystemAttribute() throws IOException {
        directory("out");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(
                        root, "out", rules(Existing.OVERWRITE, EnumSet.of(Preserve.ACLS, Preserve.XATTRS)))) {
            FileEntry bad = with(fileEntry(raw("bad"), 1, 0644), null, new Attribute(Acl.ACCESS, Acl.none()));
            assertThatThrownBy(() -> deliver(tree, bad, bytes("x"))).hasMessageContaining("ACL is invalid");
            Attribute other = new Attribute(raw("system.posix_acl_accessory"), bytes("evil"));
            deliver(tree, with(fileEntry(raw("good"), 1, 0644), null, other), bytes("x"));
        }
        assertThat(temporary.resolve("out/bad")).doesNotExist();
        assertThat(attributes("out/good")).isEmpty();
    }

    @Test
    void furtherNameBecomesAHardLinkAndIsRecognizedLater() throws IOException {
        file("out/first", "x");
        file("out/sub/second", "y");
        FileEntry second = with(fileEntry(raw("sub/second"), 1, 0644), raw("first"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME, USUAL))) {
            assertThat(tree.prepare(second)).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(second)).isInstanceOf(Outcome.Skipped.class);
            FileEntry longer = with(fileEntry(raw("sub/third"), 2, 0644), raw("first"));
            assertThatThrownBy(() -> tree.prepare(longer)).hasMessageContaining("first: changed");
            for (String outside : List.of("../passwd", "/etc/passwd", "sub", "gone", "")) {
                FileEntry bad = with(fileEntry(raw("sub/bad"), 1, 0644), raw(outside));
                assertThatThrownBy(() -> tree.prepare(bad)).isInstanceOf(TransferException.class);
            }
        }
        assertThat(statusOf(temporary.resolve("out/sub/second")).inode)
                .isEqualTo(statusOf(temporary.resolve("out/first")).inode);
        assertThat(temporary.resolve("out/sub")).isDirectoryNotContaining("glob:**/{bad,third,.fdt*}");
    }

    /** A server with none left would have fewer and fewer. The test's end looks for those that are left open. */
    @Test
    void leavesNothingOpenWhenDescriptorsRunOutWhileItIsOpened() throws IOException {
        directory("out");
        Function get = Function.getFunction("c", "getrlimit");
        Function set = Function.getFunction("c", "setrlimit");
        Object[] arguments = {7, new com.sun.jna.Memory(16)};
        com.sun.jna.Memory limit = (com.sun.jna.Memory) arguments[1];
        assertThat(get.invokeInt(arguments)).isZero();
        long usual = limit.getLong(0);
        // Classes that are loaded later need descriptors, too.
        assertThat(Errno.failure(FailureKind.TARGET, "open", raw("x"), 24).kind())
                .isEqualTo(FailureKind.HOST_LIMIT);
        List<TransferException> failures = new ArrayList<>();
        try (Root root = Root.confined(raw(temporary))) {
            targetTree(root, "out", rules(Existing.SKIP_SAME)).close();
            for (int left = 0; left < 12; left++) {
                limit.setLong(0, lowestLimitThatLeaves(left));
                assertThat(set.invokeInt(arguments)).isZero();
                try {
                    targetTree(root, "out", rules(Existing.SKIP_SAME)).close();
                } catch (TransferException failure) {
                    failures.add(failure);
                } finally {
                    limit.setLong(0, usual);
                    set.invokeInt(arguments);
                }
            }
        }
        assertThat(failures)
                .hasSizeBetween(2, 11)
                .allSatisfy(failure ->
                        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(FailureKind.HOST_LIMIT));
    }

    private static long lowestLimitThatLeaves(int descriptors) throws IOException {
        Set<Integer> open = new HashSet<>();
        try (var listed = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            listed.forEach(each -> open.add(Integer.parseInt(each.getFileName().toString())));
        }
        // Those of the listing itself are closed by now.
        open.removeIf(fd -> !Files.isSymbolicLink(Path.of("/proc/self/fd/" + fd)));
        int limit = 0;
        for (int free = 0; free <= descriptors; limit++) {
            free += open.contains(limit) ? 0 : 1;
        }
        return limit - 1L;
    }

    private static FileEntry with(FileEntry entry, @Nullable RawPath firstName, Attribute... attributes) {
        return new FileEntry(
                entry.path(),
                entry.kind(),
                entry.sizeBytes(),
                entry.mode(),
                entry.modifiedSeconds(),
                entry.modifiedNanos(),
                entry.uid(),
                entry.gid(),
                false,
                firstName,
                List.of(attributes));
    }

    /** Its mode has the mask in the place of what its group may do, and the new file has no ACL. */
    @Test
    void givesAGroupNoMoreThanTheAclOfTheReplacedFile() throws IOException {
        Path path = file("out/f", "x");
        // The owner, a user, the group without any permission, the mask, and others.
        byte[] acl = HexFormat.of()
                .parseHex("02000000" + "01000600ffffffff" + "02000600d2040000" + "04000000ffffffff" + "10000600ffffffff"
                        + "20000000ffffffff");
        int fd = Posix.openat(Posix.AT_FDCWD, raw(path), Posix.O_RDONLY, 0);
        try (Descriptor held = new Descriptor(fd)) {
            int set = Posix.setAttribute(held.fd(), Acl.ACCESS, Memory.of(acl).address(), acl.length);
            Assumptions.assumeTrue(set == 0, "the file system has ACLs");
        }
        assertThat(statusOf(path).mode()).isEqualTo(0660);
        FileEntry stream =
                new FileEntry(raw("f"), Kind.STREAM, FileEntry.UNKNOWN_SIZE, 0, 0, 0, 0, 0, false, null, List.of());
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
            deliver(tree, stream, bytes("new"));
        }
        assertThat(statusOf(path).mode()).isEqualTo(0600);
    }

    /** As others may put files into a directory of somebody's that they cannot list. */
    private static final class Unlistable implements Resolver {
        private final Resolver best = Resolver.best();

        @Override
        public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
            return isListing(flags) ? -Errno.EACCES : best.openBeneath(dirFd, path, flags, mode);
        }

        @Override
        public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
            return isListing(flags) ? -Errno.EACCES : best.openWithoutLinks(dirFd, path, flags, mode);
        }

        @Override
        public boolean isKernels() {
            return best.isKernels();
        }

        private static boolean isListing(int flags) {
            return (flags & Posix.O_DIRECTORY) != 0 && (flags & Posix.O_PATH) == 0;
        }
    }

    @Test
    void noticesALossAlsoInADirectoryThatItCannotList() throws IOException {
        directory("out");
        Disk failing = new Disk() {
            @Override
            public int syncFileSystem(int fd) {
                int synced = Disk.super.syncFileSystem(fd);
                return synced == 0 ? -Errno.EIO : synced;
            }
        };
        try (Root root = Root.confined(raw(temporary), new Unlistable());
                TargetTree tree = new TargetTree(
                        failing,
                        root,
                        raw("out"),
                        rules(Existing.SKIP_SAME),
                        DigestKind.XXH3_128,
                        CHUNK_BYTES,
                        false)) {
            TargetFile file = wanted(tree.prepare(fileEntry("f", 3)));
            write(file, bytes("abc"), 0);
            assertThatThrownBy(tree::syncFileSystem).hasMessageContaining("Input/output error");
            file.abandon(false);
            file.close();
        }
    }

    @Test
    void usesTheUsersMaskWhenModesAreNotPreserved() throws IOException {
        file("out/old", "o");
        Files.setAttribute(temporary.resolve("out/old"), "unix:mode", 0604);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE, EnumSet.noneOf(Preserve.class)))) {
            deliver(tree, fileEntry(raw("new"), 1, 0777), bytes("x"));
            deliver(tree, fileEntry(raw("old"), 1, 0777), bytes("x"));
        }
        assertThat(statusOf(temporary.resolve("out/new")).mode()).isEqualTo(Umask.apply(0666));
        assertThat(statusOf(temporary.resolve("out/old")).mode()).isEqualTo(0604);
        assertThat(statusOf(temporary.resolve("out/new")).modifiedSeconds)
                .isGreaterThan(Instant.parse("2020-01-01T00:00:00Z").getEpochSecond());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1901-12-14T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2100-02-28T12:00:00Z"})
    void keepsDatesFarFromNow(String date) {
        long seconds = Instant.parse(date).getEpochSecond();
        FileEntry entry =
                new FileEntry(raw("f"), Kind.FILE, 1, 0644, seconds, 999_999_999, 0, 0, false, null, List.of());
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            deliver(tree, entry, bytes("x"));
            assertThat(statusOf(temporary.resolve("out/f")).modifiedSeconds).isEqualTo(seconds);
            assertThat(statusOf(temporary.resolve("out/f")).modifiedNanos).isEqualTo(999_999_999);
            assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Skipped.class);
        }
    }

    @Test
    void carriesAttributes() throws IOException {
        directory("out");
        Assumptions.assumeTrue(Files.getFileStore(temporary.resolve("out")).supportsFileAttributeView("user"));
        FileEntry entry = new FileEntry(
                raw("f"),
                Kind.FILE,
                1,
                0400,
                1,
                2,
                0,
                0,
                false,
                null,
                List.of(
                        new Attribute(raw("user.origin"), bytes("here")),
                        new Attribute(raw("security.capability"), bytes("evil"))));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(
                        root, "out", rules(Existing.OVERWRITE, EnumSet.of(Preserve.MODE, Preserve.XATTRS)))) {
            deliver(tree, entry, bytes("x"));
        }
        UserDefinedFileAttributeView view = Files.getFileAttributeView(
                temporary.resolve("out/f"), UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        ByteBuffer value = ByteBuffer.allocate(16);
        view.read("origin", value);
        assertThat(Arrays.copyOf(value.array(), value.position())).isEqualTo(bytes("here"));
    }

    @ParameterizedTest
    @CsvSource({
        "SKIP_SAME, same,    skipped",
        "SKIP_SAME, newer,   wanted",
        "SKIP_SAME, longer,  wanted",
        "SKIP_SAME, link,    wanted",
        "SKIP_SAME, directory, TARGET",
        "SKIP_SAME, fifo,    TARGET",
        "OVERWRITE, same,    wanted",
        "OVERWRITE, longer,  wanted",
        "OVERWRITE, directory, TARGET",
        "SKIP,      longer,  skipped",
        "SKIP,      link,    skipped",
        "FAIL,      same,    TARGET",
        "FAIL,      absent,  wanted",
        "SKIP,      absent,  wanted",
    })
    void treatsWhatIsThereByTheRules(Existing existing, String there, String expected) throws Exception {
        Path path = directory("out").resolve("f");
        switch (there) {
            case "same", "newer" -> Files.writeString(path, "abc");
            case "longer" -> Files.writeString(path, "abcd");
            case "link" -> Files.createSymbolicLink(path, Path.of("elsewhere"));
            case "directory" -> Files.createDirectory(path);
            case "fifo" -> SourceTreeTest.run("mkfifo", path.toString());
            default -> {}
        }
        if (!there.equals("absent")) {
            setModified(path, 1_500_000_000L, there.equals("newer") ? 123_456_788 : 123_456_789);
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(existing))) {
            String actual = "?";
            try {
                Outcome outcome = tree.prepare(fileEntry("f", 3));
                if (outcome instanceof Outcome.Skipped) {
                    actual = "skipped";
                } else if (outcome instanceof Outcome.Wanted wanted) {
                    actual = "wanted";
                    wanted.file().close();
                }
            } catch (TransferException failed) {
                actual = failed.kind().name();
            }
            assertThat(actual).isEqualTo(expected);
        }
    }

    @Test
    void mendsTheModeOfWhatItSkips() throws IOException {
        Path path = file("out/f", "abc");
        setModified(path, 1_500_000_000L, 123_456_789);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP))) {
            assertThat(tree.prepare(fileEntry("f", 3))).isInstanceOf(Outcome.Skipped.class);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-rw-rw-");
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            assertThat(tree.prepare(fileEntry("f", 3))).isInstanceOf(Outcome.Skipped.class);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-r--r--");
        assertThat(path).hasContent("abc");
    }

    @Test
    void givesWhatWasComparedItsTimeAndMode() throws IOException {
        Path path = file("out/f", "abc");
        setModified(path, 1_400_000_000L, 1);
        TargetRules rules = new TargetRules(Existing.SKIP_SAME, true, Durability.END, true, USUAL);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            FileEntry entry = fileEntry("f", 3);
            assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Compare.class);
            tree.keep(entry);
        }
        assertThat(path).hasContent("abc");
        assertThat(Files.getLastModifiedTime(path).toInstant())
                .isEqualTo(Instant.ofEpochSecond(1_500_000_000L, 123_456_789));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void letsTheDigestDecideWhenAsked() throws IOException {
        file("out/f", "abc");
        TargetRules rules = new TargetRules(Existing.SKIP_SAME, true, Durability.END, true, USUAL);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            Outcome outcome = tree.prepare(fileEntry("f", 3));
            assertThat(outcome).isInstanceOf(Outcome.Compare.class);
            try (SourceFile existing = ((Outcome.Compare) outcome).existing().get()) {
                assertThat(readAll(existing, 10)).isEqualTo(bytes("abc"));
            }
            try (TargetFile file = wanted(tree.want(fileEntry("f", 3)))) {
                write(file, bytes("xyz"), 0);
                file.seal();
                file.publish();
            }
            assertThat(temporary.resolve("out/f")).hasContent("xyz");
            wanted(tree.prepare(fileEntry("f", 4))).close();
        }
    }

    /** It would be kept for what it was, and get the time of the source. */
    @ParameterizedTest
    @ValueSource(strings = {"abd", "abcd"})
    void opensForTheComparisonOnlyWhatItSaw(String changed) throws IOException {
        Path path = file("out/f", "abc");
        setModified(path, 1_400_000_000L, 1);
        TargetRules rules = new TargetRules(Existing.SKIP_SAME, true, Durability.END, true, USUAL);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules);
                TargetPreview preview = new TargetPreview(root, raw("out"), rules, false)) {
            for (Target target : List.of(tree, preview)) {
                setModified(file("out/f", "abc"), 1_400_000_000L, 1);
                Outcome.Compare seen = (Outcome.Compare) target.prepare(fileEntry("f", 3));
                seen.existing().get().close();
                Files.writeString(path, changed);
                assertThatThrownBy(() -> seen.existing().get().close())
                        .isInstanceOf(TransferException.class)
                        .hasMessage("out/f: changed while it was compared");
            }
        }
    }

    @Test
    void leavesAloneWhatAppearsMeanwhileUnlessItMayReplace() throws IOException {
        directory("out");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.FAIL));
                TargetFile file = wanted(tree.prepare(fileEntry("f", 3)))) {
            write(file, bytes("new"), 0);
            file.seal();
            file("out/f", "mine");
            assertThatThrownBy(file::publish).hasMessage("out/f: was created by another program during the copy");
            file.abandon(false);
        }
        assertThat(temporary.resolve("out/f")).hasContent("mine");
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    /** Nobody looks into a directory that has just been made, for each of many files; the rename decides. */
    @Test
    void replacesNothingInADirectoryThatItHasJustMade() throws IOException {
        for (Existing rule : List.of(Existing.SKIP_SAME, Existing.OVERWRITE, Existing.SKIP, Existing.FAIL)) {
            try (Root root = Root.confined(raw(temporary));
                    TargetTree tree = targetTree(root, "out-" + rule, rules(rule))) {
                tree.prepare(directoryEntry("made", 0700));
                file("out-" + rule + "/made/f", "mine");
                directory("out-" + rule + "/made/taken");
                if (rule == Existing.FAIL) {
                    assertThat(failure(() -> tree.prepare(fileEntry("made/f", 3))))
                            .hasMessageContaining("already exists");
                } else if (rule == Existing.SKIP) {
                    assertThat(tree.prepare(fileEntry("made/f", 3))).isInstanceOf(Outcome.Skipped.class);
                } else {
                    for (String name : List.of("f", "taken")) {
                        assertThatThrownBy(() -> deliver(tree, fileEntry("made/" + name, 3), bytes("new")))
                                .hasMessageEndingWith(name + ": was created by another program during the copy");
                    }
                }
                assertThat(temporary.resolve("out-" + rule + "/made/f")).hasContent("mine");
            }
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree again = targetTree(root, "out-SKIP_SAME", rules(Existing.SKIP_SAME))) {
            again.prepare(directoryEntry("made", 0700));
            deliver(again, fileEntry("made/f", 3), bytes("new"));
            assertThat(again.prepare(fileEntry("made/f", 3))).isInstanceOf(Outcome.Skipped.class);
        }
    }

    @Test
    void keepsWhatBecameNewerDuringTheCopy() throws IOException {
        TargetRules update =
                new TargetRules(Existing.SKIP_SAME, false, Durability.END, true, USUAL, DirectIo.AUTO, true, null);
        setModified(file("out/f", "old"), 1_400_000_000L, 0);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", update);
                TargetFile file = wanted(tree.prepare(fileEntry("f", 3)))) {
            write(file, bytes("new"), 0);
            file.sync();
            file.seal();
            file("out/f", "newer than the source");
            assertThatThrownBy(file::publish)
                    .hasMessage("out/f: was modified during the copy and is newer than the source; it stays");
            file.abandon(false);
        }
        assertThat(temporary.resolve("out/f")).hasContent("newer than the source");
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    @Test
    void keepsWhatIsNewerAlsoInADirectoryThatItHasJustMade() throws IOException {
        TargetRules update =
                new TargetRules(Existing.SKIP_SAME, false, Durability.END, true, USUAL, DirectIo.AUTO, true, null);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", update)) {
            tree.prepare(directoryEntry("made", 0700));
            file("out/made/f", "newer than the source");
            assertThat(tree.prepare(fileEntry("made/f", 3))).isInstanceOf(Outcome.Skipped.class);
        }
        assertThat(temporary.resolve("out/made/f")).hasContent("newer than the source");
    }

    @Test
    void makesEveryKindOfLinkAndReplacesOnlyWhatItMay() throws IOException {
        file("out/file", "f");
        directory("out/directory");
        Files.createSymbolicLink(directory("out").resolve("same"), Path.of("x"));
        Files.createSymbolicLink(temporary.resolve("out/other"), Path.of("y"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            assertThat(tree.prepare(linkEntry("absolute", "/etc/passwd"))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("dangling", "nowhere/at/all"))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("same", "x"))).isInstanceOf(Outcome.Skipped.class);
            assertThat(tree.prepare(linkEntry("other", "x"))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("file", "x"))).isInstanceOf(Outcome.Made.class);
            assertThat(failure(() -> tree.prepare(linkEntry("directory", "x"))).kind())
                    .isEqualTo(FailureKind.TARGET);
            assertThat(failure(() -> tree.prepare(linkEntry("nothing", ""))).kind())
                    .isEqualTo(FailureKind.REFUSED);
        }
        assertThat(Files.readSymbolicLink(temporary.resolve("out/absolute"))).isEqualTo(Path.of("/etc/passwd"));
        assertThat(Files.readSymbolicLink(temporary.resolve("out/other"))).isEqualTo(Path.of("x"));
        assertThat(Files.readSymbolicLink(temporary.resolve("out/file"))).isEqualTo(Path.of("x"));
        assertThat(namesIn(temporary.resolve("out")))
                .containsExactly("absolute", "dangling", "directory", "file", "other", "same");
    }

    /** A run that was killed while it put a directory in the place of a file leaves one under the temporary name. */
    @Test
    void replacesAFileWhateverARunThatWasKilledLeftInItsWay() throws IOException {
        for (String name : List.of("directory", "link", "further")) {
            file("out/" + name, "x");
            directory("out/" + PartialNames.of(raw(name)).link().text());
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            assertThat(tree.prepare(directoryEntry("directory", 0755))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("link", "x"))).isInstanceOf(Outcome.Made.class);
            deliver(tree, fileEntry("first", 3), bytes("abc"));
            assertThat(tree.prepare(with(fileEntry(raw("further"), 3, 0644), raw("first"))))
                    .isInstanceOf(Outcome.Made.class);
        }
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("directory", "first", "further", "link");
    }

    @Test
    void acceptsLinksToDirectoriesOnlyInsideAndInAPullNone() throws IOException {
        directory("out/real");
        directory("shared");
        directory("outside");
        Files.createSymbolicLink(temporary.resolve("out/in"), Path.of("real"));
        Files.createSymbolicLink(temporary.resolve("out/up"), Path.of("../shared"));
        Files.createSymbolicLink(temporary.resolve("out/absolute"), temporary.resolve("shared"));
        Files.createSymbolicLink(temporary.resolve("out/dangling"), Path.of("none"));
        file("out/file", "f");
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary), resolver);
                    TargetTree tree = open(root, "out", false)) {
                assertThat(tree.prepare(directoryEntry("in", 0755))).isInstanceOf(Outcome.Made.class);
                assertThat(tree.prepare(directoryEntry("up", 0755))).isInstanceOf(Outcome.Made.class);
                assertThat(failure(() -> tree.prepare(directoryEntry("absolute", 0755)))
                                .kind())
                        .isEqualTo(FailureKind.REFUSED);
                assertThat(tree.prepare(directoryEntry("dangling", 0755))).isInstanceOf(Outcome.Made.class);
                assertThat(tree.prepare(directoryEntry("file", 0755))).isInstanceOf(Outcome.Made.class);
                deliver(tree, fileEntry("up/x", 1), bytes("x"));
                deliver(tree, fileEntry("in/y", 1), bytes("y"));
                finish(tree);
            }
            assertThat(temporary.resolve("shared/x")).hasContent("x");
            assertThat(temporary.resolve("out/real/y")).hasContent("y");
            assertThat(temporary.resolve("out/in")).isSymbolicLink();
            assertThat(Files.isDirectory(temporary.resolve("out/dangling"), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
            assertThat(Files.isDirectory(temporary.resolve("out/file"), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
            Files.delete(temporary.resolve("shared/x"));
            Files.delete(temporary.resolve("out/real/y"));
        }
        try (Root root = Root.unconfined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            for (String path : List.of("in", "up", "in/new")) {
                assertThat(failure(() -> tree.prepare(directoryEntry(path, 0755)))
                                .kind())
                        .as(path)
                        .isEqualTo(FailureKind.REFUSED);
            }
            assertThat(failure(() -> tree.prepare(fileEntry("in/y", 1))))
                    .hasMessage("out/in: is or leads through a symbolic link, which a pull does not follow below"
                            + " its target; replace the link with a directory");
            Files.delete(temporary.resolve("out/dangling"));
            Files.createSymbolicLink(temporary.resolve("out/dangling"), Path.of("none"));
            assertThat(tree.prepare(directoryEntry("dangling", 0755))).isInstanceOf(Outcome.Made.class);
        }
        assertThat(temporary.resolve("out/real")).isEmptyDirectory();
        assertThat(directoryProblems).isEmpty();
    }

    @Test
    void refusesAPathThatLeavesTheRoot() throws IOException {
        file("outside/canary", "c");
        directory("root/out");
        List<FileEntry> hostile = new ArrayList<>();
        for (String path : List.of(
                "../outside/canary",
                "/outside/canary",
                "a/../../x",
                "a//b",
                "./a",
                "a/",
                "..",
                ".",
                "",
                "a/./b",
                "a/..")) {
            hostile.add(fileEntry(path, 1));
            hostile.add(linkEntry(path, "x"));
            if (!path.isEmpty()) {
                hostile.add(directoryEntry(path, 0755));
            }
        }
        hostile.add(fileEntry(".fdt.0123456789abcdef.part", 1));
        hostile.add(fileEntry("a/.fdt.0123456789ABCDEF.journal", 1));
        try (Root root = Root.confined(raw(temporary.resolve("root")));
                TargetTree tree = open(root, "out", false)) {
            for (FileEntry entry : hostile) {
                assertThat(failure(() -> tree.prepare(entry)).kind())
                        .as("%s", entry)
                        .isEqualTo(FailureKind.REFUSED);
            }
            byte[] name = new byte[256];
            Arrays.fill(name, (byte) 'n');
            assertThat(failure(() -> tree.prepare(fileEntry(RawPath.ofBytes(name), 1, 0644)))
                            .kind())
                    .isEqualTo(FailureKind.TARGET);
            byte[] path = new byte[5000];
            Arrays.fill(path, (byte) 'n');
            for (int i = 1; i < path.length; i += 2) {
                path[i] = '/';
            }
            path[4999] = 'n';
            assertThat(failure(() -> tree.prepare(fileEntry(RawPath.ofBytes(path), 1, 0644)))
                            .getMessage())
                    .contains("File name too long");
        }
        assertThat(namesIn(temporary.resolve("root/out"))).isEmpty();
        assertThat(temporary.resolve("outside/canary")).hasContent("c");
    }

    @Test
    void putsNothingThroughALinkThatAPeerMade() throws IOException {
        file("outside/canary", "c");
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(
                            raw(temporary.resolve(directory("root").toString())), resolver);
                    TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                for (String where :
                        List.of("../../outside", temporary.resolve("outside").toString())) {
                    assertThat(tree.prepare(linkEntry("link", where))).isInstanceOf(Outcome.Made.class);
                    assertThat(failure(() -> tree.prepare(fileEntry("link/canary", 1)))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                    assertThat(failure(() -> tree.prepare(directoryEntry("link", 0755)))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                    assertThat(failure(() -> tree.prepare(directoryEntry("link/new", 0755)))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                    assertThat(failure(() -> tree.prepare(linkEntry("link/new", "x")))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                }
                assertThat(tree.prepare(linkEntry("canary", "../../outside/canary")))
                        .isInstanceOf(Outcome.Made.class);
                deliver(tree, fileEntry("canary", 1), bytes("x"));
            }
        }
        assertThat(namesIn(temporary.resolve("outside"))).containsExactly("canary");
        assertThat(temporary.resolve("outside/canary")).hasContent("c");
    }

    @Test
    void refusesATargetOutsideTheRoot() throws IOException {
        directory("root/a");
        directory("outside");
        Files.createSymbolicLink(temporary.resolve("root/out"), Path.of("../outside"));
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary.resolve("root")), resolver)) {
                for (String target : List.of("..", "../outside", "a/../../outside", "out", "out/x/y", "../new/")) {
                    for (boolean single : new boolean[] {true, false}) {
                        assertThatThrownBy(() -> open(root, target, single))
                                .as(target)
                                .asInstanceOf(type(TransferException.class))
                                .extracting(TransferException::kind)
                                .isEqualTo(FailureKind.REFUSED);
                    }
                }
            }
        }
        assertThat(namesIn(temporary)).containsExactly("outside", "root");
    }

    /** Another name of a file is no link, and gets no owner from a server that runs as root, and no time from any. */
    @ParameterizedTest
    @EnumSource(names = {"OWNER", "TIMES"})
    void changesNothingOfWhatAnAttackerPutsInThePlaceOfALink(Preserve preserve) throws Exception {
        Assumptions.assumeTrue(Posix.isRoot());
        Path secret = file("outside/secret", "s");
        file("root/out/l", "x");
        AtomicBoolean done = new AtomicBoolean();
        Thread attacker = new Thread(
                () -> {
                    int out = Posix.openat(
                            Posix.AT_FDCWD, raw(temporary.resolve("root/out")), Posix.O_PATH | Posix.O_DIRECTORY, 0);
                    RawPath taken = PartialNames.of(raw("l")).link();
                    while (!done.get()) {
                        Posix.unlinkat(out, taken, 0);
                        Posix.linkat(Posix.AT_FDCWD, raw(secret), out, taken);
                    }
                    Posix.closeFd(out);
                },
                "attacker");
        attacker.start();
        int made = 0;
        try (Root root = Root.confined(raw(temporary.resolve("root")));
                TargetTree tree =
                        targetTree(root, "out", rules(Existing.OVERWRITE, EnumSet.of(Preserve.LINKS, preserve)))) {
            for (int i = 0; i < 20_000; i++) {
                try {
                    tree.prepare(new FileEntry(
                            raw("l"), Kind.LINK, 0, 0777, 1, 0, 1234, 2345, false, raw("x" + i), List.of()));
                    made++;
                } catch (TransferException lost) {
                    // Something else stood there at that moment.
                }
            }
        } finally {
            done.set(true);
            attacker.join();
        }
        assertThat(made).as("the race was run").isPositive();
        assertThat(statusOf(secret).uid).isZero();
        assertThat(statusOf(secret).modifiedSeconds).isNotEqualTo(1);
    }

    /** Refuses to open a directory for more than its path. */
    private record RefusingResolver(Resolver real, RawPath directory, int errno) implements Resolver {
        @Override
        public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
            boolean refused = path.equals(directory) && (flags & Posix.O_PATH) == 0;
            return refused ? -errno : real.openBeneath(dirFd, path, flags, mode);
        }

        @Override
        public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
            return real.openWithoutLinks(dirFd, path, flags, mode);
        }
    }

    @Test
    void givesAttributesAndOwnerToADirectoryThatItMayNotList() throws IOException {
        directory("out/d");
        Attribute note = new Attribute(raw("user.note"), bytes("n"));
        FileEntry entry = new FileEntry(raw("d"), Kind.DIRECTORY, 0, 0700, 1, 2, 0, 0, false, null, List.of(note));
        Resolver refusing = new RefusingResolver(Resolver.best(), raw("out/d"), Errno.EACCES);
        try (Root root = Root.confined(raw(temporary), refusing);
                TargetTree tree = targetTree(
                        root, "out", rules(Existing.SKIP_SAME, EnumSet.of(Preserve.XATTRS, Preserve.OWNER)))) {
            assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Made.class);
        }
        assertThat(Files.getAttribute(temporary.resolve("out/d"), "user:note")).isEqualTo(bytes("n"));
    }

    /** What cannot be opened is not flushed, and the copy must not say so. */
    @ParameterizedTest
    @ValueSource(ints = {Errno.EMFILE, Errno.EIO})
    void failsIfADirectoryAboveTheTargetCannotBeFlushed(int errno) throws IOException {
        directory("above/out");
        Resolver refusing = new RefusingResolver(Resolver.best(), raw("above"), errno);
        try (Root root = Root.confined(raw(temporary), refusing);
                TargetTree tree = open(root, "above/out", false)) {
            assertThatThrownBy(tree::syncRest)
                    .asInstanceOf(type(TransferException.class))
                    .extracting(TransferException::kind)
                    .isEqualTo(errno == Errno.EMFILE ? FailureKind.HOST_LIMIT : FailureKind.TARGET);
        }
    }

    /** What the older one covers, the run after this must copy again, too. */
    @Test
    void keepsTheOlderLossMarkIfNoOtherCanBeWritten() throws IOException {
        Path mark = file("out/.fdt.lost", "older");
        Disk full = new Disk() {
            @Override
            public int open(int dirFd, RawPath name, int flags, int mode) {
                return (flags & Posix.O_CREAT) != 0 ? -Errno.ENOSPC : Posix.openat(dirFd, name, flags, mode);
            }

            @Override
            public int syncFileSystem(int fd) {
                return -Errno.EIO;
            }
        };
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        full, root, raw("out"), rules(Existing.SKIP_SAME), DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            assertThatThrownBy(tree::syncFileSystem).isInstanceOf(TransferException.class);
        }
        assertThat(mark).hasContent("older");
    }

    /** Without it, files that a failed flush may have lost would be kept. */
    @Test
    void failsIfTheLossMarkCannotBeRead() throws IOException {
        directory("out");
        Disk disk = new Disk() {
            @Override
            public int open(int dirFd, RawPath name, int flags, int mode) {
                return name.equals(raw(".fdt.lost")) ? -Errno.EMFILE : Posix.openat(dirFd, name, flags, mode);
            }
        };
        try (Root root = Root.confined(raw(temporary))) {
            assertThatThrownBy(() -> new TargetTree(
                                    disk,
                                    root,
                                    raw("out"),
                                    rules(Existing.SKIP_SAME),
                                    DigestKind.XXH3_128,
                                    CHUNK_BYTES,
                                    false)
                            .close())
                    .asInstanceOf(type(TransferException.class))
                    .extracting(TransferException::kind)
                    .isEqualTo(FailureKind.HOST_LIMIT);
        }
    }

    @Test
    void staysInsideWhileAnAttackerFlipsLinks() throws Exception {
        file("outside/canary", "c");
        directory("root/out");
        Path flipped = temporary.resolve("root/out/d");
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            AtomicBoolean done = new AtomicBoolean();
            Thread flipper = new Thread(
                    () -> {
                        int fd = Posix.openat(
                                Posix.AT_FDCWD,
                                raw(temporary.resolve("root/out")),
                                Posix.O_PATH | Posix.O_DIRECTORY,
                                0);
                        Posix.mkdirat(fd, raw("d"), 0755);
                        Posix.symlinkat(raw("../../outside"), fd, raw("evil"));
                        while (!done.get()) {
                            Posix.rename(fd, raw("d"), raw("evil"), Posix.RENAME_EXCHANGE);
                        }
                        Posix.closeFd(fd);
                    },
                    "flipper");
            flipper.start();
            int made = 0;
            try (Root root = Root.confined(raw(temporary.resolve("root")), resolver)) {
                for (int i = 0; i < 3000; i++) {
                    try (TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                        tree.prepare(directoryEntry("d/" + i % 7, 0755));
                        if (tree.prepare(fileEntry("d/canary", 1)) instanceof Outcome.Wanted wanted) {
                            try (TargetFile file = wanted.file()) {
                                write(file, bytes("x"), 0);
                                file.seal();
                                file.publish();
                                made++;
                            }
                        }
                        tree.finishDirectories((path, failure) -> {});
                    } catch (TransferException refused) {
                        // The link stood there at that moment.
                    }
                }
            } finally {
                done.set(true);
                flipper.join();
            }
            assertThat(made).as("the race was run").isPositive();
            assertThat(namesIn(temporary.resolve("outside"))).containsExactly("canary");
            assertThat(temporary.resolve("outside/canary")).hasContent("c");
            SourceTreeTest.run(
                    "rm",
                    "-rf",
                    flipped.toString(),
                    temporary.resolve("root/out/evil").toString());
        }
    }

    @Test
    void leavesHolesWhereThereAreOnlyZeros() throws IOException {
        byte[] content = new byte[3 * CHUNK_BYTES];
        content[10] = 1;
        content[CHUNK_BYTES + 5000] = 2;
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(sparseEntry("f", content.length)))) {
                write(file, Arrays.copyOfRange(content, 0, CHUNK_BYTES), 0);
                write(file, Arrays.copyOfRange(content, CHUNK_BYTES, 2 * CHUNK_BYTES), CHUNK_BYTES);
                file.zero(2 * CHUNK_BYTES, CHUNK_BYTES);
                file.sync();
                file.seal();
                file.publish();
            }
        }
        assertThat(Files.readAllBytes(temporary.resolve("out/f"))).isEqualTo(content);
        assertThat(occupiedBytes("out/f")).isLessThanOrEqualTo(2 * 4096);
    }

    private long occupiedBytes(String name) throws IOException {
        Process process =
                new ProcessBuilder("stat", "-c", "%b", temporary.resolve(name).toString()).start();
        return Long.parseLong(new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim())
                * 512;
    }

    @Test
    void writesZerosOverWhatAnEarlierAttemptLeft() throws IOException {
        byte[] garbage = new byte[CHUNK_BYTES];
        Arrays.fill(garbage, (byte) 7);
        byte[] content = new byte[2 * CHUNK_BYTES];
        content[0] = 1;
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(sparseEntry("f", content.length)))) {
                write(file, garbage, 0);
                write(file, garbage, CHUNK_BYTES);
                write(file, Arrays.copyOf(content, LEAF_BYTES), 0);
                file.zero(LEAF_BYTES, CHUNK_BYTES - LEAF_BYTES);
                file.zero(CHUNK_BYTES, CHUNK_BYTES);
                file.seal();
                file.publish();
            }
        }
        assertThat(Files.readAllBytes(temporary.resolve("out/f"))).isEqualTo(content);
    }

    @Test
    void takesFilesBeyondFourTebibytes() throws IOException {
        long sizeBytes = 5L << 40;
        Assumptions.assumeTrue(new ProcessBuilder(
                                "truncate",
                                "-s",
                                "5T",
                                temporary.resolve("probe").toString())
                        .start()
                        .onExit()
                        .join()
                        .exitValue()
                == 0);
        Files.delete(temporary.resolve("probe"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(sparseEntry("f", sizeBytes)))) {
                file.zero(0, sizeBytes - LEAF_BYTES);
                write(file, new byte[] {9}, sizeBytes - 1);
                file.sync();
                file.record(List.of(new ChunkRecord(sizeBytes - CHUNK_BYTES, CHUNK_BYTES, new byte[16])));
            }
            Outcome.Wanted again = (Outcome.Wanted) tree.prepare(sparseEntry("f", sizeBytes));
            assertThat(again.durable()).hasSize(1);
            try (TargetFile file = again.file()) {
                file.seal();
                file.publish();
            }
        }
        FileStatus status = statusOf(temporary.resolve("out/f"));
        assertThat(status.sizeBytes).isEqualTo(sizeBytes);
        assertThat(occupiedBytes("out/f")).isLessThan(1 << 20);
        Files.delete(temporary.resolve("out/f"));
    }

    @Test
    void takesEmptyFilesAndStreamsOfUnknownSize() {
        FileEntry stream = new FileEntry(
                raw("stream"), Kind.STREAM, FileEntry.UNKNOWN_SIZE, 0, 0, 0, 0, 0, false, null, List.of());
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(fileEntry("empty", 0)))) {
                file.seal();
                file.publish();
            }
            try (TargetFile file = wanted(tree.prepare(stream))) {
                write(file, bytes("hello "), 0);
                write(file, bytes("world"), 6);
                file.seal();
                file.publish();
            }
        }
        assertThat(temporary.resolve("out/empty")).hasContent("");
        assertThat(temporary.resolve("out/stream")).hasContent("hello world");
        assertThat(statusOf(temporary.resolve("out/stream")).mode()).isEqualTo(Umask.apply(0666));
    }

    @Test
    void letsOnlyOneSessionWriteATarget() throws IOException {
        for (long sizeBytes : new long[] {10, 10L * CHUNK_BYTES}) {
            try (Root root = Root.confined(raw(temporary));
                    TargetTree first = open(root, "out", false);
                    TargetTree second = open(root, "out", false);
                    TargetFile winner = wanted(first.prepare(fileEntry("f", sizeBytes)))) {
                write(winner, bytes("0123456789"), 0);
                winner.record(List.of(new ChunkRecord(0, CHUNK_BYTES, new byte[16])));
                // A small file has no journal that would keep others away before they write.
                assertThatThrownBy(() -> {
                            try (TargetFile loser = wanted(second.prepare(fileEntry("f", sizeBytes)))) {
                                write(loser, bytes("xxxx"), 0);
                            }
                        })
                        .hasMessage("out/f: another copy is writing this target")
                        .asInstanceOf(type(TransferException.class))
                        .extracting(TransferException::kind)
                        .isEqualTo(FailureKind.BUSY);
                winner.seal();
                winner.publish();
            }
            assertThat(Files.size(temporary.resolve("out/f"))).isEqualTo(sizeBytes);
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
            Files.delete(temporary.resolve("out/f"));
        }
    }

    @Test
    void neverMixesSessionsThatRaceForOneTarget() throws Exception {
        directory("out");
        List<Throwable> failures = new ArrayList<>();
        List<Thread> racers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            byte[] content = new byte[8192];
            Arrays.fill(content, (byte) ('a' + i));
            Thread racer = new Thread(
                    () -> {
                        try (Root root = Root.confined(raw(temporary));
                                TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                            for (int round = 0; round < 500; round++) {
                                raceOnce(tree, content);
                            }
                        } catch (RuntimeException | IOException | AssertionError failure) {
                            synchronized (failures) {
                                failures.add(failure);
                            }
                        }
                    },
                    "racer-" + i);
            racers.add(racer);
            racer.start();
        }
        for (Thread racer : racers) {
            racer.join();
        }
        assertThat(failures).isEmpty();
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    private void raceOnce(TargetTree tree, byte[] content) throws IOException {
        try (TargetFile file = wanted(tree.prepare(fileEntry("f", content.length)))) {
            write(file, Arrays.copyOf(content, 4096), 0);
            write(file, Arrays.copyOf(content, 4096), 4096);
            file.seal();
            file.publish();
        } catch (TransferException refused) {
            // Another one was faster, and is at work on the file or has published it.
            if (refused.kind() != FailureKind.BUSY) {
                assertThat(refused).hasMessage("out/f: was created by another program during the copy");
            }
        }
        if (Files.exists(temporary.resolve("out/f"))) {
            byte[] found = Files.readAllBytes(temporary.resolve("out/f"));
            assertThat(found).hasSize(8192).containsOnly(found[0]);
        }
    }

    @Test
    void doesNotWriteIntoWhatOthersPutInPlaceOfThePartial() throws Exception {
        file("victim", "precious");
        Path partial =
                directory("out").resolve(PartialNames.of(raw("f")).partial().text());
        for (String trap : List.of("link", "hardlink", "fifo", "leftover", "leftover-without-rights")) {
            switch (trap) {
                case "link" -> Files.createSymbolicLink(partial, temporary.resolve("victim"));
                case "hardlink" -> Files.createLink(partial, temporary.resolve("victim"));
                case "fifo" -> SourceTreeTest.run("mkfifo", partial.toString());
                default -> {
                    Files.writeString(partial, "some longer leftover");
                    Files.setAttribute(partial, "unix:mode", trap.equals("leftover") ? 0600 : 0);
                }
            }
            try (Root root = Root.confined(raw(temporary));
                    TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                deliver(tree, fileEntry("f", 3), bytes(trap.substring(0, 3)));
            }
            assertThat(temporary.resolve("out/f")).hasContent(trap.substring(0, 3));
            assertThat(statusOf(temporary.resolve("out/f")).mode()).isEqualTo(0644);
            assertThat(temporary.resolve("victim")).hasContent("precious");
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
        }
    }

    @Test
    void saysThatTheDiskIsFullAndLeavesNothing() throws Exception {
        Path full = directory("full");
        Assumptions.assumeTrue(Posix.isRoot(), "mounting needs root");
        Assumptions.assumeTrue(
                new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", full.toString())
                                .start()
                                .waitFor()
                        == 0,
                "mounting is not allowed here");
        try {
            try (Root root = Root.confined(raw(full))) {
                try (TargetTree tree = open(root, "out", false)) {
                    try (TargetFile file = wanted(tree.prepare(fileEntry("f", 2 << 20)))) {
                        write(file, new byte[512 << 10], 0);
                        assertThatThrownBy(() -> write(file, new byte[1 << 20], 512 << 10))
                                .hasMessageContaining("No space left on device")
                                .asInstanceOf(type(TransferException.class))
                                .extracting(TransferException::kind)
                                .isEqualTo(FailureKind.TARGET);
                        assertThatThrownBy(() -> open(root, "out", false)).hasMessage("out: No space left on device");
                        file.abandon(false);
                    }
                    assertThat(namesIn(full.resolve("out"))).isEmpty();
                    deliver(tree, fileEntry("small", 3), bytes("abc"));
                }
            }
            SourceTreeTest.run("mount", "-o", "remount,ro", full.toString());
            try (Root root = Root.confined(raw(full))) {
                assertThatThrownBy(() -> open(root, "out", false))
                        .hasMessage("out: is not writable: Read-only file system");
                assertThatThrownBy(() -> open(root, "new", false)).hasMessageContaining("Read-only file system");
            }
        } finally {
            SourceTreeTest.run("umount", full.toString());
        }
    }

    @Test
    void keepsDescriptorsBoundedInManyDirectories() throws IOException {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            for (int i = 0; i < 1000; i++) {
                assertThat(tree.prepare(directoryEntry("d" + i, 0755))).isInstanceOf(Outcome.Made.class);
                deliver(tree, fileEntry("d" + i + "/f", 1), bytes("x"));
            }
            assertThat(tree.openFiles().count()).isZero();
            try (var open = Files.list(Path.of("/proc/self/fd"))) {
                assertThat(open.count()).isLessThan(500);
            }
            finish(tree);
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(statusOf(temporary.resolve("out/d" + i)).modifiedNanos).isEqualTo(987_654_321);
        }
        assertThat(directoryProblems).isEmpty();
    }

    @Test
    void discardsEverythingIntoNothing() {
        try (Target target = new DiscardTarget()) {
            assertThat(target.prepare(directoryEntry("d", 0755))).isInstanceOf(Outcome.Made.class);
            deliver(target, fileEntry("d/f", 3), bytes("abc"));
        }
    }
}
