package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.WalkingResolver;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.SourceTreeTest;
import io.fdt.core.transport.InBackground;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing outside the root is written, whatever links exist and whatever changes them meanwhile. */
class TargetConfinementTest extends TargetTest {
    /** Another user's link in the target would give that user the directory of a third one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void putsNothingIntoTheDirectoryThatALocalUsersLinkLeadsTo(boolean confined) throws IOException {
        Assumptions.assumeTrue(FileMetadata.isRoot());
        Path victim = file("home/B/.ssh/authorized_keys", "B's");
        Files.setPosixFilePermissions(victim.getParent(), PosixFilePermissions.fromString("rwx------"));
        directory("home/A");
        Path link = Files.createSymbolicLink(temporary.resolve("home/A/docs"), Path.of("../B/.ssh"));
        Files.setAttribute(link, "unix:uid", 1234, LinkOption.NOFOLLOW_LINKS);
        List<FileEntry> entries = List.of(
                owned(directoryEntry("A", 0755)),
                owned(directoryEntry("A/docs", 0755)),
                owned(fileEntry("A/docs/authorized_keys", 3)));
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = confined ? Root.confined(raw(temporary), resolver) : Root.unconfined(raw(temporary));
                    TargetTree tree =
                            targetTree(root, "home", rules(Existing.SKIP_SAME, EnumSet.allOf(Preserve.class)))) {
                tree.prepare(entries.get(0));
                tree.prepare(entries.get(1));
                deliver(tree, entries.get(2), bytes("A's"));
                finish(tree);
            }
            assertThat(victim).hasContent("B's");
            assertThat(statusOf(victim.getParent()).uid).isZero();
            assertThat(statusOf(victim.getParent()).mode()).isEqualTo(0700);
            assertThat(Files.isDirectory(link, LinkOption.NOFOLLOW_LINKS)).isTrue();
            assertThat(link.resolve("authorized_keys")).hasContent("A's");
            assertThat(statusOf(link).uid).isEqualTo(1234);
            Files.move(link, temporary.resolve("home/A/" + resolver.getClass().getSimpleName()));
            Files.setAttribute(
                    Files.createSymbolicLink(link, Path.of("../B/.ssh")), "unix:uid", 1234, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static FileEntry owned(FileEntry entry) {
        EntryMetadata metadata = new EntryMetadata(entry.mode(), 1, 0, 1234, 1234, List.of());
        return Entries.of(entry.kind(), entry.path(), entry.sizeBytes(), metadata);
    }

    @Test
    void replacesALinkInTheWayOfADirectoryAndFollowsNone() throws IOException {
        directory("out/real");
        directory("shared");
        file("out/file", "f");
        for (boolean confined : new boolean[] {true, false}) {
            for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
                for (String where : List.of(
                        "real", "../shared", "none", temporary.resolve("shared").toString())) {
                    Path link = Files.createSymbolicLink(temporary.resolve("out/link"), Path.of(where));
                    try (Root root = confined
                                    ? Root.confined(raw(temporary), resolver)
                                    : Root.unconfined(raw(temporary));
                            TargetTree tree = open(root, "out", false)) {
                        for (FileEntry through : List.of(
                                fileEntry("link/x", 1), directoryEntry("link/x", 0755), linkEntry("link/x", "y"))) {
                            assertThat(failure(() -> tree.prepare(through)))
                                    .hasMessage("out/link: is or leads through a symbolic link, which is not followed"
                                            + " below the target");
                        }
                        assertThat(tree.prepare(directoryEntry("link", 0755))).isInstanceOf(Outcome.Made.class);
                        deliver(tree, fileEntry("link/x", 1), bytes("x"));
                        finish(tree);
                    }
                    assertThat(Files.isDirectory(link, LinkOption.NOFOLLOW_LINKS))
                            .isTrue();
                    assertThat(link.resolve("x")).hasContent("x");
                    Files.delete(link.resolve("x"));
                    Files.delete(link);
                }
            }
        }
        assertThat(temporary.resolve("shared")).isEmptyDirectory();
        assertThat(temporary.resolve("out/real")).isEmptyDirectory();
        assertThat(directoryProblems).isEmpty();
    }

    /** Of the links in the way of a directory: where they lead, who made them, and whether they are followed. */
    @ParameterizedTest
    @CsvSource({
        "true,  real,                true",
        "true,  ../shared,           true",
        "true,  ROOT/shared,         true",
        "true,  chain,               true",
        "true,  ../shared//./../out/real, true",
        "true,  file,                false",
        "true,  none,                false",
        "true,  loop,                false",
        "true,  theirs,              false",
        "false, real,                false",
        "true,  ../../outside,       unconfined",
        "true,  OUTSIDE,             unconfined",
        "true,  ../../root/shared,   unconfined"
    })
    void keepsOnlyLinksToDirectoriesThatRootOrItsUserMade(boolean ours, String where, String followed)
            throws IOException {
        Assumptions.assumeTrue(FileMetadata.isRoot());
        file("root/out/file", "f");
        Path outside = directory("outside");
        Path shared = directory("root/shared");
        directory("root/out/real");
        linkOf(1234, "theirs", "real");
        linkOf(0, "chain", "../shared");
        linkOf(0, "loop", "loop");
        Path top = temporary.resolve("root").toRealPath();
        String target = where.replace("ROOT", top.toString()).replace("OUTSIDE", outside.toString());
        for (boolean confined : new boolean[] {true, false}) {
            for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
                Path link = linkOf(ours ? 0 : 1234, "link", target);
                boolean follows = followed.equals("true") || (followed.equals("unconfined") && !confined);
                try (Root root = confined ? Root.confined(raw(top), resolver) : Root.unconfined(raw(top));
                        TargetTree tree = targetTree(root, "out", keepingLinks())) {
                    try (TargetPreview preview = new TargetPreview(root, raw("out"), keepingLinks(), false)) {
                        assertThat(preview.prepare(directoryEntry("link", 0755)))
                                .isInstanceOf(follows ? Outcome.Made.class : Outcome.WouldReplace.class);
                        assertThat(preview.prepare(directoryEntry("link/d", 0755)))
                                .isInstanceOf(Outcome.Made.class);
                        assertThat(preview.prepare(fileEntry("link/d/x", 1))).isInstanceOf(Outcome.Wanted.class);
                    }
                    tree.prepare(directoryEntry("link", 0755));
                    tree.prepare(directoryEntry("link/d", 0755));
                    deliver(tree, fileEntry("link/d/x", 1), bytes("x"));
                    finish(tree);
                }
                assertThat(Files.isSymbolicLink(link)).isEqualTo(follows);
                assertThat(link.resolve("d/x")).hasContent("x");
                if (!follows) {
                    assertThat(outside).isEmptyDirectory();
                    assertThat(shared).isEmptyDirectory();
                    assertThat(temporary.resolve("root/out/real")).isEmptyDirectory();
                }
                Files.delete(link.resolve("d/x"));
                Files.delete(link.resolve("d"));
                Files.delete(link);
            }
        }
        assertThat(directoryProblems).isEmpty();
    }

    private Path linkOf(int owner, String name, String where) throws IOException {
        Path link = Files.createSymbolicLink(temporary.resolve("root/out").resolve(name), Path.of(where));
        Files.setAttribute(link, "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
        return link;
    }

    private static TransferPlan keepingLinks() {
        return rules(Existing.SKIP_SAME).with(CopyValue.KEEP_DIRLINKS, true);
    }

    /** A root that is the whole file system is that of a copy within a host, where absolute links are usual. */
    @Test
    void linksAboveAPairLeadAnywhereInsideTheRoot() throws IOException {
        Path out = directory("root/out");
        Path disk = directory("root/disk");
        Path outside = directory("outside");
        Files.createSymbolicLink(out.resolve("in"), Path.of("../disk"));
        Files.createSymbolicLink(out.resolve("leads"), Path.of("../../outside"));
        Files.createSymbolicLink(out.resolve("absolute"), outside);
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary.resolve("root")), resolver);
                    TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
                assertThat(tree.hasAbove(raw("none"), true)).isFalse();
                assertThat(tree.hasAbove(raw("in"), false)).isFalse();
                assertThat(tree.hasAbove(raw("in"), true)).isTrue();
                tree.prepare(directoryEntry("in/d", 0755));
                deliver(tree, fileEntry("in/d/x", 1), bytes("x"));
                finish(tree);
                for (String name : List.of("leads", "absolute")) {
                    assertThat(tree.hasAbove(raw(name), false)).isFalse();
                    assertThatThrownBy(() -> tree.hasAbove(raw(name), true))
                            .asInstanceOf(type(TransferException.class))
                            .extracting(TransferException::kind)
                            .isEqualTo(FailureKind.REFUSED);
                }
            }
            assertThat(disk.resolve("d/x")).hasContent("x");
            Files.delete(disk.resolve("d/x"));
            Files.delete(disk.resolve("d"));
            assertThat(outside).isEmptyDirectory();
            try (Root root = Root.confined(RawPath.ROOT, resolver);
                    TargetTree tree = targetTree(root, out.toString(), rules(Existing.SKIP_SAME))) {
                assertThat(tree.hasAbove(raw("absolute"), true)).isTrue();
                tree.prepare(directoryEntry("absolute/d", 0755));
                finish(tree);
            }
            Files.delete(outside.resolve("d"));
            try (Root root = Root.confined(RawPath.ROOT, resolver);
                    TargetTree tree = targetTree(root, out.toString(), rules(Existing.SKIP_SAME))) {
                Path devices = Files.createSymbolicLink(out.resolve("devices"), Path.of("/dev"));
                assertThatThrownBy(() -> tree.hasAbove(raw("devices"), true)).hasMessageContaining("is in /dev");
                Files.delete(devices);
            }
        }
    }

    /** Another user could lead the copy anywhere. */
    @Test
    void aLinkAboveAPairMustBeTrustedAndStayAsItIs() throws IOException {
        Assumptions.assumeTrue(FileMetadata.isRoot());
        directory("root/out");
        Path disk = directory("root/disk");
        Path victim = directory("root/victim");
        linkOf(1234, "docs", "../victim");
        Path own = Files.createSymbolicLink(temporary.resolve("root/out/own"), Path.of("../disk"));
        try (Root root = Root.confined(raw(temporary.resolve("root")));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            assertThatThrownBy(() -> tree.hasAbove(raw("docs"), true)).isInstanceOf(TransferException.class);
            assertThat(tree.hasAbove(raw("own"), true)).isTrue();
            Files.delete(own);
            Files.createSymbolicLink(own, Path.of("../victim"));
            assertThat(failure(() -> tree.prepare(directoryEntry("own/d", 0755)))
                            .kind())
                    .isEqualTo(FailureKind.REFUSED);
        }
        assertThat(disk).isEmptyDirectory();
        assertThat(victim).isEmptyDirectory();
    }

    /** The mode of the exported directory is the operator's, even if the operator's own link leads to it. */
    @Test
    void aKeptLinkChangesNothingOfTheExportedRoot() throws IOException {
        directory("root/out");
        Path top = temporary.resolve("root");
        Files.setPosixFilePermissions(top, PosixFilePermissions.fromString("rwxr-x---"));
        Files.createSymbolicLink(top.resolve("out/up"), Path.of(".."));
        try (Root root = Root.confined(raw(top));
                TargetTree tree = targetTree(root, "out", keepingLinks())) {
            tree.prepare(directoryEntry("up", 0777));
            deliver(tree, fileEntry("up/x", 1), bytes("x"));
            finish(tree);
        }
        assertThat(statusOf(top).mode()).isEqualTo(0750);
        assertThat(top.resolve("x")).hasContent("x");
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

    /**
     * A hard link to a file is not a symbolic link: it gets no owner from a server that runs as root, and no time from
     * any server.
     */
    @ParameterizedTest
    @EnumSource(names = {"OWNER", "TIMES"})
    void changesNothingOfWhatAnAttackerPutsInThePlaceOfALink(Preserve preserve) throws Exception {
        Assumptions.assumeTrue(FileMetadata.isRoot());
        Path secret = file("outside/secret", "s");
        file("root/out/l", "x");
        AtomicBoolean done = new AtomicBoolean();
        InBackground<Void> attacker = InBackground.run(() -> {
            int out = Paths.openat(
                    Paths.AT_FDCWD, raw(temporary.resolve("root/out")), Paths.O_PATH | Paths.O_DIRECTORY, 0);
            RawPath taken = PartialNames.of(raw("l")).link();
            while (!done.get()) {
                Paths.unlinkat(out, taken, 0);
                Paths.linkat(Paths.AT_FDCWD, raw(secret), out, taken);
            }
            Descriptor.closeFd(out);
        });
        int made = 0;
        try (Root root = Root.confined(raw(temporary.resolve("root")));
                TargetTree tree =
                        targetTree(root, "out", rules(Existing.OVERWRITE, EnumSet.of(Preserve.LINKS, preserve)))) {
            for (int i = 0; i < 20_000; i++) {
                try {
                    tree.prepare(
                            Entries.link(raw("l"), raw("x" + i), new EntryMetadata(0777, 1, 0, 1234, 2345, List.of())));
                    made++;
                } catch (TransferException lost) {
                    // Something else had the name at that moment.
                }
            }
        } finally {
            done.set(true);
            attacker.result();
        }
        assertThat(made).as("the race was run").isPositive();
        assertThat(statusOf(secret).uid).isZero();
        assertThat(statusOf(secret).modifiedSeconds).isNotEqualTo(1);
    }

    @Test
    void staysInsideWhileAnAttackerFlipsLinks() throws Exception {
        file("outside/canary", "c");
        directory("root/out");
        Path flipped = temporary.resolve("root/out/d");
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            AtomicBoolean done = new AtomicBoolean();
            InBackground<Void> flipper = InBackground.run(() -> {
                int fd = Paths.openat(
                        Paths.AT_FDCWD, raw(temporary.resolve("root/out")), Paths.O_PATH | Paths.O_DIRECTORY, 0);
                Paths.mkdirat(fd, raw("d"), 0755);
                Paths.symlinkat(raw("../../outside"), fd, raw("evil"));
                while (!done.get()) {
                    Paths.rename(fd, raw("d"), raw("evil"), Paths.RENAME_EXCHANGE);
                }
                Descriptor.closeFd(fd);
            });
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
                        // The link had the name at that moment.
                    }
                }
            } finally {
                done.set(true);
                flipper.result();
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
}
