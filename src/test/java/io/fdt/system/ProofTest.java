package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Receipts and manifests of a copy cover all its files, and {@code verify} reports as verified only what it has
 * compared.
 */
final class ProofTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    private Path receipt() {
        return at.path("receipt.json");
    }

    /** Changes one byte, but neither the size nor the times of the file. */
    private static void rot(Path file) {
        Shell.python("""
                import os, sys
                before = os.stat(sys.argv[1])
                with open(sys.argv[1], "r+b") as f:
                    byte = f.read(1)
                    f.seek(0)
                    f.write(bytes([byte[0] ^ 1]))
                os.utime(sys.argv[1], ns=(before.st_atime_ns, before.st_mtime_ns))
                """, file);
    }

    private List<String> filesWithoutDigest() {
        return Shell.python("""
                import json, sys
                for entry in json.load(open(sys.argv[1]))["files"]:
                    if entry["kind"] == "file" and "digest" not in entry: print(entry["path"])
                """, receipt()).lines().toList();
    }

    private Outcome verify(int exitCode, Object... arguments) {
        return at.fdt(with(new Object[] {"verify", "--json"}, arguments)).expectExit(exitCode);
    }

    @EachWay
    void receiptOfARerunKnowsWhatTheEarlierOneKnew(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy("--receipt", receipt(), route.source("tree"), route.target("")).expectExit(0);
        // A pull would hash this file and take it for the copied one.
        rot(route.targetPath("tree/one.dat"));

        Outcome rerun = at.copy("--receipt", receipt(), route.source("tree"), route.target(""))
                .expectExit(0);

        assertThat(rerun.number("bytes_sent")).isZero();
        assertThat(filesWithoutDigest()).isEmpty();
        Outcome found = verify(6, "--receipt", receipt(), route.target(""));
        assertThat(found.summary()).containsEntry("differing", 1L).containsEntry("files_unverified", 0L);
    }

    @EachWay
    void receiptHasDigestsOfFilesThatWereThereBeforeIt(Direction direction) {
        Route route = Route.of(at, direction);
        Shell.ok("cp", "-a", OddTree.shared(), route.sourcePath("odd"));
        at.copy(route.source("odd"), route.target("")).expectExit(0);

        Outcome rerun = at.copy("--receipt", receipt(), route.source("odd"), route.target(""))
                .expectExit(0);

        assertThat(rerun.number("bytes_sent")).isZero();
        assertThat(filesWithoutDigest()).isEmpty();
        verify(0, "--receipt", receipt(), route.target(""));
    }

    @Test
    void receiptOfAnInterruptedRunKeepsWhatIsKnown() {
        Route route = Route.of(at, Direction.PULL);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy("--receipt", receipt(), route.source("tree"), route.target("")).expectExit(0);
        Trees.file(route.sourcePath("tree/big"), 64 * MIB, 9);
        rot(route.targetPath("tree/one.dat"));
        FdtProcess run =
                at.startCopy("--rate-limit", "80Mbit", "--receipt", receipt(), route.source("tree"), route.target(""));
        run.awaitAcknowledged(Workplace.LIMIT, MIB);
        run.signal("INT");
        run.await(Workplace.LIMIT).expectExit(130);
        assertThat(filesWithoutDigest()).doesNotContain("tree/one.dat");

        at.copy("--receipt", receipt(), route.source("tree"), route.target("")).expectExit(0);

        assertThat(filesWithoutDigest()).isEmpty();
        Outcome found = verify(6, "--receipt", receipt(), route.target(""));
        assertThat(found.summary()).containsEntry("differing", 1L).containsEntry("missing", 0L);
    }

    @Test
    void dryRunLeavesAReceiptAlone() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy("--receipt", receipt(), route.source("tree"), route.target("")).expectExit(0);
        String before = Trees.text(receipt());

        at.fdt("client", "--dry-run", "--receipt", receipt(), route.source("tree"), route.target(""))
                .expectExit(0);

        assertThat(receipt()).hasContent(before);
    }

    @Test
    void verifyCountsWhatItCannotCompare() throws IOException {
        Route route = Route.of(at, Direction.PUSH);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy("--receipt", receipt(), route.source("tree"), route.target("")).expectExit(0);
        Shell.python("""
                import json, sys
                receipt = json.load(open(sys.argv[1]))
                for entry in receipt["files"]:
                    if entry["path"] == "tree/one.dat": del entry["digest"]
                receipt["digest"] = None
                json.dump(receipt, open(sys.argv[1], "w"))
                """, receipt());

        Outcome outcome = verify(4, "--receipt", receipt(), route.target(""));

        assertThat(outcome.summary()).containsEntry("files_unverified", 1L).containsEntry("unreadable", 0L);
        assertThat(outcome.jsonOfType("file"))
                .singleElement()
                .satisfies(line ->
                        assertThat(line).containsEntry("path", "tree/one.dat").containsEntry("outcome", "unverified"));
        assertThat(at.fdt("verify", "--receipt", receipt(), route.target(""))
                        .expectExit(4)
                        .errText())
                .contains(": 1 unverified")
                .doesNotContain("all the same");
        assertThat(at.fdt("verify", "--digest", "none", route.source("tree"), route.target("tree"))
                        .expectExit(0)
                        .errText())
                .contains("contents were not compared")
                .doesNotContain("all the same");
    }

    @EachWay
    void manifestIsReadByCoreutilsAndVerify(Direction direction) throws IOException {
        Route route = Route.of(at, direction);
        Shell.ok("cp", "-a", OddTree.shared(), route.sourcePath("odd"));
        Path sums = at.path("SHA256SUMS");
        at.copy(route.source("odd/links"), route.target("odd/")).expectExit(0);

        at.copy("--manifest", "sha256=" + sums, route.source("odd"), route.target(""))
                .expectExit(0);

        Path target = route.targetPath("");
        Shell.ok("sh", "-c", "cd \"$0\" && sha256sum --quiet -c \"$1\"", target, sums);
        assertThat(lines(sums))
                .as("one line for each file")
                .containsExactlyInAnyOrderElementsOf(lines(listed(target, "sha256sum")));
        verify(0, "--manifest", "sha256=" + sums, route.target(""));
        Path md5 = listed(target, "md5sum");
        verify(0, "--manifest", "md5=" + md5, route.target(""));

        verify(0, "--extra", "--manifest", "md5=" + md5, route.target(""));
        rot(target.resolve("odd/names/-rf"));
        for (String list : List.of("sha256=" + sums, "md5=" + md5)) {
            Outcome found = verify(6, "--manifest", list, route.target(""));
            assertThat(found.summary()).containsEntry("differing", 1L).containsEntry("missing", 0L);
        }
    }

    private static List<String> lines(Path list) throws IOException {
        return Files.readAllLines(list, StandardCharsets.ISO_8859_1);
    }

    /** Writes a checksum list of a tree with coreutils. */
    private Path listed(Path tree, String program) {
        Path list = at.path(program);
        Shell.ok("sh", "-c", "cd \"$0\" && find * -type f -exec \"$1\" -- {} + > \"$2\"", tree, program, list);
        return list;
    }

    @EachWay
    void manifestsOfOtherKindsAreThoseOfCatalogues(Direction direction) throws IOException {
        Route route = Route.of(at, direction);
        Files.writeString(route.sourcePath("a"), "123456789");
        for (Map.Entry<String, String> kind : Map.of(
                        "adler32", "091e01de", "crc32c", "e3069283", "md5", "25f9e794323b453885f5181f1b624d0b")
                .entrySet()) {
            Path list = at.path(kind.getKey());
            at.copy("--manifest", kind.getKey() + "=" + list, route.source("a"), route.target("into/"))
                    .expectExit(0);
            assertThat(list).hasContent(kind.getValue() + "  a\n");
            verify(0, "--manifest", kind.getKey() + "=" + list, route.target("into"));
        }
    }

    @EachWay
    void manifestHasTheNameThatASingleFileGot(Direction direction) throws IOException {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("a"), 3 * MIB, 1);
        Files.createDirectory(route.targetPath("there"));
        Path sums = at.path("SUMS");
        for (String target : List.of("there", "there/b")) {
            at.copy("--manifest", "sha256=" + sums, route.source("a"), route.target(target))
                    .expectExit(0);
            assertThat(sums).content().endsWith(target.equals("there") ? "  a\n" : "  b\n");
            Shell.ok("sh", "-c", "cd \"$0\" && sha256sum --quiet -c \"$1\"", route.targetPath("there"), sums);
            verify(0, "--manifest", "sha256=" + sums, route.target(target));
        }
    }

    @Test
    void manifestIsWrittenOnlyOfACompleteCopy() {
        // Only at the root of a server does /dev/null discard data.
        Route route = Route.of(at, Direction.PUSH).to(at.server());
        Trees.small(route.sourcePath("tree"), 1);
        Path sums = at.path("SUMS");
        Trees.file(route.targetPath("tree/one.dat"), 1, 1);

        at.copy("--existing", "fail", "--manifest", "sha256=" + sums, route.source("tree"), route.target(""))
                .expectExit(3);
        assertThat(sums).doesNotExist();
        for (List<Object> wrong : List.<List<Object>>of(
                List.of("--manifest", "sha1=x", route.source("tree"), route.target("")),
                List.of("--manifest", "sha256", route.source("tree"), route.target("")),
                List.of("--manifest", "md5=x", "--size", "1", "/dev/zero", route.target("zeros")),
                List.of("--manifest", "md5=x", route.source("tree"), route.target("dev/null")))) {
            at.fdt(with(new Object[] {"client"}, wrong.toArray())).expectExit(2);
        }
        at.copy("--manifest", "sha256=" + at.path("no/such/SUMS"), route.source("tree"), route.target(""))
                .expectExit(5);
    }

    @Test
    void verifiesOverSsh() throws IOException {
        SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
        Path tree = Trees.small(at.directory("tree"), 1);
        Path far = at.path("far");
        String there = sshd.user() + "@127.0.0.1:" + far;
        Path sums = at.path("SUMS");
        Object[] ssh = {"--ssh", sshd.command(), "--remote-command", at.remoteFdt()};
        at.copy(with(ssh, "--receipt", receipt(), "--manifest", "sha256=" + sums, tree + "/", there))
                .expectExit(0);

        for (Object[] against :
                new Object[][] {{"--receipt", receipt(), there}, {"--manifest", "sha256=" + sums, there}, {tree, there}
                }) {
            assertThat(verify(0, with(ssh, against)).summary()).containsEntry("files_unverified", 0L);
        }
        rot(far.resolve("one.dat"));
        assertThat(verify(6, with(ssh, "--receipt", receipt(), there)).summary())
                .containsEntry("differing", 1L);
        verify(2, with(ssh, there, there));
        verify(2, "--ssh", "ssh", tree, tree);
    }

    private static Object[] with(Object[] first, Object... rest) {
        return Stream.concat(Stream.of(first), Stream.of(rest)).toArray();
    }
}
