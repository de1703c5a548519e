package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.CreationMask;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.posix.Acl;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Modes, owners, times, ACLs and attributes of the entries that a copy creates in its target. */
class TargetMetadataTest extends TargetTest {
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
        // Allows users other than root to look inside.
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
        Assumptions.assumeTrue(FileMetadata.isRoot(), "needs root");
        FileEntry entry = Entries.file(raw("f"), 0, new EntryMetadata(06755, 1, 2, 1234, 2345, List.of()));
        TransferPlan rules = rules(Existing.OVERWRITE, EnumSet.of(Preserve.MODE, Preserve.OWNER));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            deliver(tree, entry, new byte[0]);
        }
        FileStatus status = statusOf(temporary.resolve("out/f"));
        assertThat(status.mode()).isEqualTo(06755);
        assertThat(status.uid).isEqualTo(1234);
        assertThat(status.gid).isEqualTo(2345);
    }

    /** A change of the owner removes capabilities and set-user-ID bits, so they are set after it. */
    @Test
    void keepsCapabilitiesWhenRootPreservesTheOwner() throws IOException {
        Assumptions.assumeTrue(FileMetadata.isRoot(), "needs root");
        byte[] rawNetwork = HexFormat.of().parseHex("0100000200200000000000000000000000000000");
        FileEntry.Attribute capability = new FileEntry.Attribute(raw("security.capability"), rawNetwork);
        FileEntry entry = Entries.file(raw("f"), 1, new EntryMetadata(04755, 1, 2, 1234, 2345, List.of(capability)));
        TransferPlan rules = rules(Existing.SKIP_SAME, EnumSet.allOf(Preserve.class));
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
        try (Root root = Root.confined(raw(temporary), CreationMask.ofPermissions(027));
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

    /** At every moment, also if the client leaves before the end. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void masksTheAclsOfADirectoryToo(boolean isDefault) throws IOException {
        RawPath name = isDefault ? Acl.DEFAULT : Acl.ACCESS;
        byte[] acl = HexFormat.of()
                .parseHex("02000000" + "01000700ffffffff" + "02000700d2040000" + "04000700ffffffff" + "10000700ffffffff"
                        + "20000700ffffffff");
        FileEntry entry = with(directoryEntry("d", 0777), null, new Attribute(name, acl));
        try (Root root = Root.confined(raw(temporary), CreationMask.ofPermissions(022));
                TargetTree tree =
                        targetTree(root, "out", rules(Existing.OVERWRITE, EnumSet.of(Preserve.ACLS, Preserve.MODE)))) {
            assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Made.class);
            int fd = Paths.openat(Paths.AT_FDCWD, raw(temporary.resolve("out")), Paths.O_PATH, 0);
            try (Descriptor parent = Descriptor.ofProcess(fd)) {
                List<Attribute> given =
                        new AttributeReader(FailureKind.TARGET, false, true).read(parent.fd(), raw("d"), raw("d"));
                assertThat(given)
                        .singleElement()
                        .satisfies(each -> assertThat(each.value()).isEqualTo(Acl.masked(acl, 022)));
            }
        }
    }

    /** It is the operator's: its directory, not one that the client made. */
    @Test
    void leavesModeAndOwnerOfTheExportedRoot() throws IOException {
        Files.setAttribute(temporary, "unix:mode", 0750);
        FileEntry top = Entries.directory(RawPath.EMPTY, new EntryMetadata(0777, 1, 0, 1234, 2345, List.of()));
        for (String target : List.of("", "./", "out/..")) {
            directory("out");
            try (Root root = Root.confined(raw(temporary));
                    TargetTree tree =
                            targetTree(root, target, rules(Existing.OVERWRITE, EnumSet.allOf(Preserve.class)))) {
                assertThat(tree.prepare(top)).isInstanceOf(Outcome.Made.class);
                finish(tree);
            }
            assertThat(statusOf(temporary).mode()).as(target).isEqualTo(0750);
            assertThat(statusOf(temporary).uid).as(target).isEqualTo(Libc.geteuid());
        }
    }

    /** The operator has shared this directory; a client can neither begin nor end sharing. */
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
        TransferPlan rules = Rules.of(
                Existing.SKIP_SAME,
                compareDigest ? TargetRules.Comparison.DIGEST : TargetRules.Comparison.TIME,
                Durability.END,
                true,
                PRESERVED);
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
            // The file was compared, and got its second name meanwhile.
            Files.setPosixFilePermissions(temporary.resolve("out/f"), PosixFilePermissions.fromString("rw-------"));
            tree.keep(fileEntry("f", 3));
            assertThat(statusOf(temporary.resolve("out/g")).mode()).isEqualTo(0600);
        }
    }

    @Test
    void correctsTheTimeAndOwnerOfALinkWithTheRightTarget() throws IOException {
        directory("out");
        Path link = Files.createSymbolicLink(temporary.resolve("out/l"), Path.of("x"));
        Path other = Files.createSymbolicLink(temporary.resolve("out/shared"), Path.of("x"));
        Files.createLink(temporary.resolve("elsewhere"), other);
        FileStatus before = statusOf(other);
        FileEntry owned =
                Entries.link(raw("owned"), raw("x"), new EntryMetadata(0777, 1_300_000_000L, 0, 1234, 2345, List.of()));
        try (Root root = Root.confined(raw(temporary));
                TargetTree skipping = targetTree(root, "out", rules(Existing.SKIP));
                TargetTree tree = open(root, "out", false);
                TargetTree owning = targetTree(
                        root, "out", rules(Existing.SKIP_SAME, EnumSet.of(Preserve.LINKS, Preserve.OWNER)))) {
            assertThat(skipping.prepare(linkEntry("l", "x"))).isInstanceOf(Outcome.Skipped.class);
            assertThat(statusOf(link).modifiedSeconds).isNotEqualTo(1_300_000_000L);
            assertThat(tree.prepare(linkEntry("l", "x"))).isInstanceOf(Outcome.Skipped.class);
            assertThat(tree.prepare(linkEntry("shared", "x"))).isInstanceOf(Outcome.Made.class);
            if (FileMetadata.isRoot()) {
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
        int fd = Paths.openat(Paths.AT_FDCWD, raw(temporary), Paths.O_PATH | Paths.O_DIRECTORY, 0);
        try (Descriptor held = Descriptor.ofProcess(fd)) {
            Map<String, byte[]> found = new TreeMap<>();
            Objects.requireNonNull(
                            new AttributeReader(FailureKind.TARGET, true, false).read(held.fd(), raw(path), raw(path)))
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
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME, PRESERVED))) {
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

    /** The mode has the mask in place of the group's permissions, and the new file has no ACL. */
    @Test
    void givesAGroupNoMoreThanTheAclOfTheReplacedFile() throws IOException {
        Path path = file("out/f", "x");
        // The owner, a user, the group without any permission, the mask, and others.
        byte[] acl = HexFormat.of()
                .parseHex("02000000" + "01000600ffffffff" + "02000600d2040000" + "04000000ffffffff" + "10000600ffffffff"
                        + "20000000ffffffff");
        int fd = Paths.openat(Paths.AT_FDCWD, raw(path), Paths.O_RDONLY, 0);
        try (Descriptor held = Descriptor.ofProcess(fd)) {
            int set = FileMetadata.setAttribute(
                    held.fd(), Acl.ACCESS, Memory.of(acl).address(), acl.length);
            Assumptions.assumeTrue(set == 0, "the file system has ACLs");
        }
        assertThat(statusOf(path).mode()).isEqualTo(0660);
        FileEntry stream = Entries.stream("f", EntryMetadata.ofMode(0));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
            deliver(tree, stream, bytes("new"));
        }
        assertThat(statusOf(path).mode()).isEqualTo(0600);
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
        FileEntry entry = Entries.file(raw("f"), 1, Entries.metadata(0644, seconds, 999_999_999));
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
        FileEntry entry = Entries.file(
                raw("f"),
                1,
                new EntryMetadata(
                        0400,
                        1,
                        2,
                        0,
                        0,
                        List.of(
                                new Attribute(raw("user.origin"), bytes("here")),
                                new Attribute(raw("security.capability"), bytes("evil")))));
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

    @Test
    void givesAttributesAndOwnerToADirectoryThatItMayNotList() throws IOException {
        directory("out/d");
        Attribute note = new Attribute(raw("user.note"), bytes("n"));
        FileEntry entry = Entries.directory(raw("d"), new EntryMetadata(0700, 1, 2, 0, 0, List.of(note)));
        Resolver refusing = new RefusingResolver(Resolver.best(), raw("out/d"), Errno.EACCES);
        try (Root root = Root.confined(raw(temporary), refusing);
                TargetTree tree = targetTree(
                        root, "out", rules(Existing.SKIP_SAME, EnumSet.of(Preserve.XATTRS, Preserve.OWNER)))) {
            assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Made.class);
        }
        assertThat(Files.getAttribute(temporary.resolve("out/d"), "user:note")).isEqualTo(bytes("n"));
    }

    /** As some file systems of FUSE do. */
    @Test
    void reportsTimesThatAFileSystemAcceptsAndDoesNotKeep() {
        Disk ignoring = new Disk() {
            @Override
            public int setModified(int fd, long seconds, int nanos) {
                return 0;
            }
        };
        Map<RawPath, String> problems = new HashMap<>();
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        ignoring,
                        root,
                        raw("out"),
                        rules(Existing.SKIP_SAME),
                        DigestKind.XXH3_128,
                        CHUNK_BYTES,
                        false)) {
            deliver(tree, fileEntry("a", 3), bytes("abc"));
            deliver(tree, fileEntry("b", 3), bytes("abc"));
            tree.finishDirectories((path, failure) -> problems.put(path, failure.getMessage()));
        }
        assertThat(problems).containsOnlyKeys(RawPath.EMPTY);
        assertThat(problems.get(RawPath.EMPTY)).contains("does not keep modification times");
        assertThat(temporary.resolve("out/b")).hasContent("abc");
    }

    /** A copy of directories alone shows it, too; what files have shown is said once. */
    @Test
    void reportsWhatAFileSystemDoesNotKeepOfDirectories() {
        Disk ignoring = new Disk() {
            @Override
            public int setModified(int fd, long seconds, int nanos) {
                return 0;
            }

            @Override
            public int setMode(int fd, int mode) {
                return 0;
            }

            @Override
            public int setOwner(int fd, int uid, int gid) {
                return 0;
            }

            @Override
            public int setAttribute(int fd, RawPath attribute, long address, int length) {
                return 0;
            }
        };
        List<String> all = new ArrayList<>(List.of("permissions", "modification times", "extended attributes"));
        if (FileMetadata.isRoot()) {
            all.add("owners");
        }
        for (boolean withFile : List.of(false, true)) {
            RawPath target = raw("out" + withFile);
            Map<RawPath, String> problems = new HashMap<>();
            try (Root root = Root.confined(raw(temporary));
                    TargetTree tree = new TargetTree(
                            ignoring,
                            root,
                            target,
                            rules(Existing.SKIP_SAME, EnumSet.allOf(Preserve.class)),
                            DigestKind.XXH3_128,
                            CHUNK_BYTES,
                            false)) {
                Attribute attribute = new Attribute(raw("user.x"), bytes("y"));
                for (String name : List.of("d", "e")) {
                    EntryMetadata given = new EntryMetadata(0500, 1_000_000_000L, 0, 1234, 2345, List.of(attribute));
                    assertThat(tree.prepare(Entries.directory(raw(name), given)))
                            .isInstanceOf(Outcome.Made.class);
                }
                if (withFile) {
                    deliver(tree, fileEntry("d/a", 3), bytes("abc"));
                }
                tree.finishDirectories((path, failure) -> problems.put(path, failure.getMessage()));
            }
            assertThat(problems).hasSize(1);
            assertThat(problems.values()).allSatisfy(why -> assertThat(why).contains(all));
        }
    }

    /** A time that a file system cannot store is not one that it ignores. */
    @Test
    void reportsNoTimeThatIsOutOfTheRangeOfTheFileSystem() {
        Disk limited = new Disk() {
            @Override
            public int setModified(int fd, long seconds, int nanos) {
                return Disk.super.setModified(fd, Math.min(seconds, 1_100_000_000L), 0);
            }
        };
        List<String> problems = new ArrayList<>();
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        limited,
                        root,
                        raw("out"),
                        rules(Existing.SKIP_SAME),
                        DigestKind.XXH3_128,
                        CHUNK_BYTES,
                        false)) {
            deliver(tree, fileEntry("a", 3), bytes("abc"));
            tree.finishDirectories((path, failure) -> problems.add(failure.getMessage()));
        }
        assertThat(problems).isEmpty();
    }
}
