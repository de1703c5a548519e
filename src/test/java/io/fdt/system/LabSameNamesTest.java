package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On a target file system that ignores case, two names of the source are the same name. Neither file replaces the
 * other, in the first run and in all later runs. Needs a kernel with Unicode support.
 */
@Tag("lab")
final class LabSameNamesTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private Path makeDisk() {
        Path disk = at.directory("remote");
        Path image = at.directory("images").resolve("image");
        Shell.ok("truncate", "-s", "64M", image);
        Shell.ok("mkfs.ext4", "-q", "-O", "casefold", "-E", "encoding=utf8", image);
        Shell.ok("modprobe", "loop");
        Shell.ok("mount", "-o", "loop", image, disk);
        Shell.ok("mkdir", disk.resolve("in"));
        Shell.ok("chattr", "+F", disk.resolve("in"));
        return disk.resolve("in");
    }

    @AfterEach
    void unmount() {
        Shell.run("umount", at.directory("remote"));
    }

    @Test
    void secondNameFailsInEveryRun() {
        Path target = makeDisk();
        Path tree = at.directory("local").resolve("tree");
        for (String path : new String[] {"Dir/one", "dir/two", "sub/File", "sub/file", "Other"}) {
            Trees.file(tree.resolve(path), 1000 + path.length(), path.hashCode());
        }
        FdtServer server = at.server();
        for (int run = 0; run < 3; run++) {
            Outcome copy = at.copy(tree + "/", server.url("/in/")).expectExit(3);
            // The source's file system decides which of the two comes first.
            assertThat(copy.transcript()).containsPattern("sub/(File|file): the target has (file|File) and takes both");
            assertThat(copy.transcript()).containsPattern("in/(Dir|dir): the target has (dir|Dir) and takes both");
            assertThat(copy.number("files_failed")).isEqualTo(3);
        }
        assertThat(target.resolve("Other")).hasSize(1005);
    }

    /**
     * Otherwise the sweep would not find the new name, and would delete the file that was just copied as an extra file.
     */
    @ParameterizedTest
    @ValueSource(strings = {"file", "dir"})
    void mirrorsNothingUnderANameThatIsSpelledOtherwise(String name) {
        Path target = makeDisk();
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve(name.equals("dir") ? "Name/f" : "Name"), 1000, 1);
        FdtServer server = at.server();
        at.copy(tree + "/", server.url("/in/")).expectExit(0);
        Shell.ok("mv", tree.resolve("Name"), tree.resolve("name"));
        // The content of the directory is in place, so only its name fails. The file is the only entry of the copy.
        at.copy("--delete", tree + "/", server.url("/in/")).expectExit(name.equals("dir") ? 3 : 5);
        assertThat(target.resolve("Name")).exists();
    }
}
