package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A target whose file system keeps only seconds, here an ext4 with small inodes on a loop device. Needs root. */
final class CoarseTimesTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private Path makeDisk() throws IOException {
        Path image = at.path("disk.img");
        Path disk = at.directory("disk");
        Shell.ok("truncate", "-s", "32M", image);
        Shell.ok("mkfs.ext4", "-q", "-F", "-I", "128", image);
        Shell.Result mounted = Shell.run("mount", "-o", "loop", image, disk);
        assumeTrue(mounted.exitCode() == 0, "an ext4 image cannot be mounted on a loop device here (needs root)");
        at.closing(() -> Shell.ok("umount", "-l", disk));
        return disk;
    }

    private static List<Object> changes(Path directory, String... names) throws IOException {
        List<Object> found = new ArrayList<>();
        for (String name : names) {
            Path file = directory.resolve(name);
            found.add(Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS));
            found.add(Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS));
        }
        return found;
    }

    @Test
    void aSecondRunChangesNothing() throws IOException {
        Path disk = makeDisk();
        Path tree = at.directory("tree");
        Path two = Trees.file(tree.resolve("two"), 3000, 1);
        Files.createLink(tree.resolve("names"), two);
        Trees.file(tree.resolve("one"), 3000, 2);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("one"));
        Shell.ok("find", tree, "-exec", "touch", "-h", "-d", "2020-02-02 02:02:02.123456789", "{}", "+");
        Object[] copy = {"--preserve", "all", tree + "/", disk + "/"};
        at.copy(copy).expectExit(0);
        String[] names = {"two", "names", "one", "link"};
        List<Object> before = changes(disk, names);

        Outcome dry = at.copy("--dry-run", "--preserve", "all", tree + "/", disk + "/")
                .expectExit(0);
        Outcome again = at.copy(copy).expectExit(0);

        assertThat(dry.number("files_to_replace")).isZero();
        assertThat(again.number("bytes_durable")).isZero();
        assertThat(changes(disk, names)).isEqualTo(before);
    }
}
