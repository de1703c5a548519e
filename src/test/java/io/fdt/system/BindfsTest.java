package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Targets on bindfs, a file system of libfuse 2 that does some calls in another way, or not at all. Needs root. */
final class BindfsTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private Path tree() throws IOException {
        Path tree = at.directory("tree");
        Trees.manyFiles(tree.resolve("many"), 20, 3000);
        Trees.file(tree.resolve("large"), 9 << 20, 1);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("large"));
        Shell.ok("chmod", "604", tree.resolve("large"));
        Shell.ok("find", tree, "-exec", "touch", "-h", "-d", "2020-02-02 02:02:02.123456789", "{}", "+");
        return tree;
    }

    private Path mount(String option) {
        Path mounted = at.directory("mounted");
        Shell.Result done = Shell.run("bindfs", option, at.directory("below"), mounted);
        assumeTrue(done.exitCode() == 0, "bindfs cannot be mounted here (needs root and FUSE)");
        at.closing(() -> Shell.ok("umount", "-l", mounted));
        return mounted;
    }

    @Test
    void timesAreKeptAndARerunMovesNothing() throws IOException {
        Path tree = tree();
        Path target = mount("--chmod-normal");
        at.copy(tree + "/", target + "/").expectExit(0);
        Trees.assertSame(tree, target);

        assertThat(at.copy(tree + "/", target + "/").expectExit(0).number("bytes_sent"))
                .isZero();
    }

    @Test
    void whatIsIgnoredIsAFailureThatNamesIt() throws IOException {
        Path tree = tree();
        Path target = mount("--chmod-ignore");
        Path receipt = at.path("receipt");

        Outcome outcome =
                at.copy("--receipt", receipt, tree + "/", target + "/").expectExit(3);

        assertThat(outcome.transcript()).contains("does not keep permissions");
        assertThat(receipt)
                .content()
                .contains(
                        "\"outcome\":\"failed\",\"exit_code\":3",
                        "\"files_failed\":1",
                        "\"failed\":[{\"path\":",
                        "does not keep permissions");
        assertThat(Trees.differences(tree, target, "--no-perms")).isEmpty();
        at.copy("--preserve", "times,links", tree + "/", target + "/").expectExit(0);
    }
}
