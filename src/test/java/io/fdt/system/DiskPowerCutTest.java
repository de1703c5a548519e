package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
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

    /** Gives what the copy noted about the running kernel another boot id. */
    private static void startAgain(Path target) throws IOException {
        var attributes = Files.getFileAttributeView(target, UserDefinedFileAttributeView.class);
        String name = "fdt.unflushed";
        ByteBuffer mark = ByteBuffer.allocate(attributes.size(name));
        attributes.read(name, mark);
        attributes.write(name, mark.putLong(0, 4711).rewind());
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
