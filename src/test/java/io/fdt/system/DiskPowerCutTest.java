package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Simulates a power failure right after exit code 0. The target is an ext4 file system on a loop device that commits
 * only every two minutes. The test copies its image as it is and mounts the copy, which shows what the device would
 * hold. Needs root.
 */
@Tag("fault")
final class DiskPowerCutTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private static final String OTHER = "4321";
    private static final String MARK = "fdt.unflushed";

    private int cuts;

    private Path imageOf(Path mounted) {
        return at.path(mounted.getFileName() + ".img");
    }

    private Path makeDisk(Path mountPoint) throws IOException {
        Files.createDirectories(mountPoint);
        Path image = imageOf(mountPoint);
        Shell.ok("truncate", "-s", "64M", image);
        Shell.ok("mkfs.ext4", "-q", "-F", image);
        mount(image, mountPoint);
        Files.delete(mountPoint.resolve("lost+found"));
        Shell.ok("sync", "-f", mountPoint);
        return mountPoint;
    }

    private void mount(Path image, Path mountPoint) {
        Shell.Result mounted = Shell.run("mount", "-o", "loop,commit=120", image, mountPoint);
        assumeTrue(mounted.exitCode() == 0, "an ext4 image cannot be mounted on a loop device here (needs root)");
        at.closing(() -> Shell.ok("umount", "-l", mountPoint));
    }

    /** Simulates a power failure now, and returns the directory where the surviving files are mounted. */
    private Path afterPowerCut(Path mounted) {
        cuts++;
        Path image = at.path("cut-" + cuts + ".img");
        Shell.ok("cp", "--sparse=always", imageOf(mounted), image);
        Path found = at.directory("found-" + cuts);
        mount(image, found);
        return found;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRerunMakesDurableWhatARunThatFlushedNothingLeft(boolean overOlderFiles) throws IOException {
        Path remote = makeDisk(at.directory("remote"));
        Path other = makeDisk(remote.resolve("tree/other"));
        Path tree = at.directory("local").resolve("tree");
        Trees.manyFiles(tree.resolve("one"), 20, 5000);
        Trees.file(tree.resolve("one/large"), 9 << 20, 1);
        Trees.manyFiles(tree.resolve("other"), 20, 5000);
        if (overOlderFiles) {
            Shell.ok("cp", "-r", tree, remote);
            Shell.ok("find", remote, "-type", "f", "-exec", "truncate", "-s", "1", "{}", "+");
            Shell.ok("sync", "-f", remote);
            Shell.ok("sync", "-f", other);
        }
        FdtServer server = at.server();
        at.copy("--durable", "none", tree, server.url("/")).expectExit(0);
        assumeTrue(
                !Trees.differences(tree.resolve("one"), afterPowerCut(remote).resolve("tree/one"))
                        .isEmpty(),
                "the kernel has flushed the file system by itself");

        Outcome rerun = at.copy(tree, server.url("/")).expectExit(0);
        List<Path> found = List.of(afterPowerCut(remote).resolve("tree/one"), afterPowerCut(other));

        assertThat(rerun.number("bytes_sent")).isZero();
        Trees.assertSame(tree.resolve("one"), found.get(0));
        Trees.assertSame(tree.resolve("other"), found.get(1));
    }

    /** The file system commits length, time and name before the data, for which it has not yet allocated space. */
    @ParameterizedTest
    @ValueSource(strings = {"end", "none"})
    void aRerunCopiesAgainWhatAPowerCutTookFromARunThatFlushedNothing(String durability) throws IOException {
        Path remote = makeDisk(at.directory("remote"));
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("large"), 20 << 20, 1);
        Trees.manyFiles(tree.resolve("small"), 20, 5000);
        FdtServer server = at.server();
        at.copy("--durable", "none", tree, server.url("/")).expectExit(0);
        Files.createFile(remote.resolve("unrelated"));
        Shell.ok("sync", remote.resolve("unrelated"));

        Path found = afterPowerCut(remote);
        assertThat(found.resolve("tree/large")).hasSize(20 << 20);
        assumeTrue(
                !Trees.differences(tree, found.resolve("tree")).isEmpty(), "the kernel has written the data by itself");
        startAgain(found);
        at.copy("--durable", durability, tree, found.resolve("./")).expectExit(0);
        Trees.assertSame(tree, found.resolve("tree"));
    }

    /** Gives what the copies noted about the running kernel another boot id. */
    private static void startAgain(Path top) throws IOException {
        try (var found = Files.walk(top)) {
            for (Path path : found.filter(each -> !Files.isSymbolicLink(each)).toList()) {
                var attributes = Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
                if (attributes.list().contains(MARK)) {
                    ByteBuffer mark = ByteBuffer.allocate(attributes.size(MARK));
                    attributes.read(MARK, mark);
                    attributes.write(MARK, mark.putLong(0, 4711).rewind());
                }
            }
        }
    }

    /** How a file may come to be where no run without flushes has been. */
    private enum Way {
        ROOT_BELOW,
        FDT_MV,
        MV,
        HARD_LINK,
        OTHER_USER
    }

    /** The doubt about a file is in the file, wherever it is found. */
    @ParameterizedTest
    @EnumSource(Way.class)
    void aFileThatWasNotFlushedIsDoubtedWhereverItIs(Way way) throws IOException {
        Path remote = makeDisk(at.directory("remote"));
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("large"), 20 << 20, 1);
        Trees.manyFiles(tree.resolve("small"), 20, 5000);
        FdtServer server = at.server();
        at.copy("--durable", "none", tree, server.url("/first/")).expectExit(0);
        Path moved = remote.resolve("first/tree");
        switch (way) {
            case FDT_MV -> {
                at.fdt("mkdir", server.url("/other")).expectExit(0);
                at.fdt("mv", server.url("/first/tree"), server.url("/other/tree"))
                        .expectExit(0);
                moved = remote.resolve("other/tree");
            }
            case MV -> {
                moved = remote.resolve("moved");
                Shell.ok("mv", remote.resolve("first/tree"), moved);
            }
            case HARD_LINK -> {
                moved = remote.resolve("linked");
                Shell.ok("cp", "-rl", remote.resolve("first/tree"), moved);
            }
            case OTHER_USER -> {
                Shell.ok("find", moved, "-type", "f", "-exec", "chown", "1234:1234", "{}", "+");
                Shell.ok("find", moved, "-type", "d", "-exec", "chown", OTHER, "{}", "+");
            }
            case ROOT_BELOW -> {}
        }
        Files.createFile(remote.resolve("unrelated"));
        Shell.ok("sync", remote.resolve("unrelated"));

        Path found = afterPowerCut(remote);
        Path rest = found.resolve(remote.relativize(moved));
        assertThat(rest.resolve("large")).hasSize(20 << 20);
        assumeTrue(!Trees.differences(tree, rest).isEmpty(), "the kernel has written the data by itself");
        startAgain(found);
        if (way == Way.OTHER_USER) {
            rerunAsOther(tree + "/", rest + "/");
            assertThat(Trees.differences(tree, rest, "--no-owner", "--no-group"))
                    .isEmpty();
        } else {
            FdtServer again = at.rootlessServer("127.0.0.1:0", rest, "--root", rest);
            at.copy(tree + "/", again.url("/")).expectExit(0);
            Trees.assertSame(tree, rest);
        }
    }

    private void rerunAsOther(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        // The user may read everything, so that it does not matter where the jar is.
        List<String> command = List.of(
                "setpriv",
                "--reuid=" + OTHER,
                "--regid=" + OTHER,
                "--clear-groups",
                "--inh-caps=+dac_read_search",
                "--ambient-caps=+dac_read_search",
                "--");
        Shell.ok("chown", "-R", OTHER, at.home());
        at.startThrough(command, at.setup("user", words.toArray()))
                .await(Workplace.LIMIT)
                .expectExit(0);
    }

    @Test
    void aNewTargetItsParentsAndLaterModesAreDurable() throws IOException {
        Path remote = makeDisk(at.directory("remote"));
        Path tree = at.directory("local").resolve("tree");
        Trees.small(tree, 1);
        FdtServer server = at.server();

        at.copy(tree, server.url("/new/deep/")).expectExit(0);
        Trees.assertSame(tree, afterPowerCut(remote).resolve("new/deep/tree"));

        Shell.ok("chmod", "600", tree.resolve("one.dat"));
        Shell.ok("chmod", "700", tree.resolve("sub"));
        Outcome rerun = at.copy(tree, server.url("/new/deep/")).expectExit(0);
        assertThat(rerun.number("bytes_sent")).isZero();
        Trees.assertSame(tree, afterPowerCut(remote).resolve("new/deep/tree"));
    }
}
