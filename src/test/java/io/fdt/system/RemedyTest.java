package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a failed copy leaves, and what its messages advise: one real failure for each cause. */
final class RemedyTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private Path source() {
        return Trees.file(at.path("source/file"), 1000, 1);
    }

    private static void assertAdvises(Outcome failed, String advice) {
        assertThat(failed.errText()).contains(advice).doesNotContain("free space");
    }

    @Test
    void suggestsMovingObstacleAway() throws IOException {
        Path source = source();
        Path target = Trees.file(at.path("target/file"), 7, 2);
        assertAdvises(at.copy("--existing", "fail", source, target).expectExit(5), "choose another --existing");
        Files.delete(target);
        Shell.ok("mkfifo", target);
        assertAdvises(at.copy(source, target).expectExit(5), "move it away");
    }

    @Test
    void aReceiptThatCannotBeWrittenNeedsAnotherName() {
        Path receipt = Trees.file(at.path("no-directory"), 1, 1).resolve("receipt");
        Outcome failed =
                at.copy("--receipt", receipt, source(), at.path("target/")).expectExit(5);
        assertAdvises(failed, "name a file that can be written");
    }

    @Test
    void anExistingFileStaysWhereTheSourceHasADirectory() throws IOException {
        Path source = at.directory("source");
        Trees.small(source.resolve("taken"), 1);
        Trees.file(source.resolve("other"), 1000, 2);
        Path taken = Trees.file(at.path("target/taken"), 70, 3);
        byte[] before = Files.readAllBytes(taken);

        for (String rule : List.of("--update", "--existing=skip-same")) {
            Outcome failed = at.copy(rule, source + "/", at.path("target")).expectExit(3);
            assertAdvises(failed, "--existing overwrite");
            assertThat(taken).hasBinaryContent(before);
        }
        at.copy("--dry-run", source + "/", at.path("target")).expectExit(3);
        at.copy("--existing", "overwrite", source + "/", at.path("target")).expectExit(0);
        Trees.assertSame(source, at.path("target"));
    }

    @Test
    void pathThatIsTooLongFailsWithoutAffectingOthers() throws IOException {
        Path source = at.directory("source");
        Trees.manyFiles(source.resolve("tree"), 10, 100);
        String deep = "cd \"$1\"; for i in $(seq 20); do d=$(printf '%0250d' 0); mkdir $d; cd $d; echo x > f; done";
        Shell.ok("bash", "-c", deep, "bash", source);
        for (int run = 0; run < 2; run++) {
            FdtServer server = at.server();
            Outcome failed = at.copy(source + "/", server.url("/in/")).expectExit(3);
            assertThat(failed.number("files_failed")).isEqualTo(1);
            assertThat(failed.errText()).contains("longer than 4,095 bytes").contains("…");
            Trees.assertSame(source.resolve("tree"), at.path("remote/in/tree"));
        }
    }

    @Test
    void aDirectoryIsRefusedForStandardOutput() {
        Path source = at.directory("source");
        Trees.manyFiles(source, 10, 100);
        Outcome refused = at.process("client", source, "-").expectExit(2);
        assertThat(refused.errText().lines()).hasSize(1);
        assertThat(refused.out()).isEmpty();
        Trees.manyFiles(at.directory("remote").resolve("tree"), 10, 100);
        Outcome remote = at.process("client", at.server().url("/tree"), "-").expectExit(2);
        assertThat(remote.errText().lines())
                .hasSizeLessThan(3)
                .last()
                .asString()
                .contains("standard output takes one file");
        assertThat(remote.out()).isEmpty();
    }

    @Test
    void aCopyWithoutAnyFileIsNotVerified() {
        Path source = source();
        Shell.ok("ln", "-s", "nowhere", source.resolveSibling("dangling"));
        Outcome failed = at.fdt("client", "--copy-links", source.resolveSibling("dangling"), at.path("target/"));
        assertThat(failed.errText()).doesNotContain("verified").doesNotContain("digest");
    }

    @Test
    void hardLinksKeepTheDigestOfTheTree() throws IOException {
        Path source = source();
        Files.createLink(source.resolveSibling("twin"), source);
        Outcome copied = at.copy("--preserve", "all", source.getParent(), at.path("target"))
                .expectExit(0);
        assertThat(String.valueOf(copied.summary().get("digest"))).startsWith("xxh3-128:");
    }

    /** As with rsync, whichever name is offered first: a further name of a file that is kept is a name of that. */
    @Test
    void furtherNamesOfAKeptFileAreNoFailures() throws IOException {
        Path source = at.directory("source");
        Files.createLink(source.resolve("twin"), source());
        for (String rule : List.of("--existing=skip", "--update")) {
            for (String name : List.of("file", "twin")) {
                Path target = at.directory("target-" + name + rule);
                Path kept = Trees.file(target.resolve(name), 7, 2);
                Shell.ok("touch", "-d", "2099-01-01", kept);
                Path manifest = at.path("manifest");
                List<Object> words = List.of(rule, "--preserve", "times,hardlinks", "--manifest", "sha256=" + manifest);
                List<Object> all = new ArrayList<>(words);
                all.addAll(List.of("--receipt", at.path("receipt"), source + "/", target));
                at.copy(all.toArray()).expectExit(0);
                Shell.ok("bash", "-c", "cd \"$1\"; test ! -s \"$2\" || sha256sum -c \"$2\"", "bash", target, manifest);
                assertThat(Files.readString(at.path("receipt"))).contains("\"outcome\":\"not_compared\"");
                assertThat(kept).hasSize(7);
                assertThat(target).isDirectoryContaining("glob:**/file").isDirectoryContaining("glob:**/twin");
            }
        }
    }

    @Test
    void directoriesHaveNoDigestWhenAllFilesFailed() {
        Path source = at.directory("source");
        Trees.file(source.resolve("taken/file"), 1000, 2);
        Trees.file(at.path("target/taken"), 70, 3);
        Outcome failed = at.fdt("client", source + "/", at.path("target")).expectExit(5);
        assertThat(failed.errText()).doesNotContain("verified").doesNotContain("digest ");
    }

    /** A file that stays unseen has neither the size nor the digest of its source. */
    @Test
    void recordsOmitSizeAndDigestOfSkippedFiles() throws IOException {
        Path source = source();
        Trees.file(at.path("source/new"), 2000, 5);
        Trees.file(at.path("target/source/file"), 7, 2);
        Path receipt = at.path("receipt");
        Path manifest = at.path("manifest");
        at.copy(
                        "--existing",
                        "skip",
                        "--receipt",
                        receipt,
                        "--manifest",
                        "sha256=" + manifest,
                        source.getParent(),
                        at.path("target"))
                .expectExit(0);
        assertThat(Files.readAllLines(manifest)).hasSize(1).first().asString().endsWith("source/new");
        assertThat(Files.readString(receipt)).contains("\"outcome\":\"not_compared\"");
    }
}
