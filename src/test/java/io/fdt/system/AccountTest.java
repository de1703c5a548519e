package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The log that a server writes about its clients, and the limits that it sets for each of them. */
final class AccountTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private static List<Map<String, Object>> lines(Path log) {
        try {
            return Files.readAllLines(log).stream().map(Json::object).toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void awaitLines(Path log, int count) {
        Await.until(
                count + " lines",
                Workplace.LIMIT,
                () -> Files.exists(log) && lines(log).size() >= count);
    }

    @Test
    void writesALineForEachFileAndReopensItsLogOnHangUp() throws IOException {
        Path log = at.path("transfers.log");
        FdtServer server = at.server("--transfer-log", log);
        String line = at.fdt("key", "create", "alice").expectExit(0).out().get(0);
        at.environment("FDT_KEY", line);
        Path tree = at.directory("tree");
        Trees.file(tree.resolve("a"), 1000, 1);
        Trees.file(tree.resolve("d/b"), 9L * MIB, 2);
        at.copy(tree, server.url("/in/")).expectExit(0);
        awaitLines(log, 2);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
                .isEqualTo("rw-r-----");
        Map<String, Object> large = lines(log).stream()
                .filter(each -> each.get("path").equals("tree/d/b"))
                .findFirst()
                .orElseThrow();
        assertThat(large)
                .containsEntry("key", "alice")
                .containsEntry("direction", "in")
                .containsEntry("root", server.root().toString())
                .containsEntry("full_path", server.root().resolve("in/tree/d/b").toString())
                .containsEntry("bytes", 9L * MIB)
                .containsEntry("outcome", "copied")
                .containsEntry("reason", Json.NULL);
        assertThat(String.valueOf(large.get("peer"))).startsWith("127.0.0.1:");
        assertThat(String.valueOf(large.get("digest"))).startsWith("xxh3-128:");
        assertThat(Instant.parse(String.valueOf(large.get("time"))))
                .isBetween(Instant.now().minusSeconds(600), Instant.now());
        assertThat(((Number) large.get("seconds")).doubleValue()).isBetween(0.0, 600.0);

        Path rotated = Files.move(log, at.path("transfers.log.1"));
        server.process().signal("HUP");
        Await.until("the new file", Workplace.LIMIT, () -> Files.exists(log));
        at.copy(server.url("/in/tree/a"), at.directory("back") + "/").expectExit(0);
        at.copy(server.url("/in/tree/a"), at.directory("back") + "/").expectExit(0);
        awaitLines(log, 2);
        assertThat(lines(rotated)).hasSize(2);
        assertThat(lines(log)).extracting(each -> each.get("direction")).containsExactly("out", "out");
        assertThat(lines(log)).extracting(each -> each.get("outcome")).containsExactly("copied", "skipped");
        assertThat(lines(log))
                .extracting(each -> each.get("full_path"))
                .containsOnly(server.root().resolve("in/tree/a").toString());

        for (String told : List.of("push to /in/", "ended ok: 2 files.*")) {
            Pattern form = Pattern.compile("\\d+-\\d+-\\d+T\\d+:\\d+:\\d+\\.\\d+Z fdt: session [0-9a-f]+ from"
                    + " 127\\.0\\.0\\.1:\\d+ with key alice:? " + told);
            server.process().awaitErrorLine(Workplace.LIMIT, form.asMatchPredicate());
        }
    }

    @Test
    void bothKeysAreNamedWhenACopyEndsBecauseOfAFileOfAnother() throws IOException {
        Path log = at.path("transfers.log");
        FdtServer server = at.server("--transfer-log", log);
        String alice = at.fdt("key", "create", "alice").expectExit(0).out().get(0);
        String bob = at.fdt("key", "create", "bob").expectExit(0).out().get(0);
        Path source = Trees.file(at.path("f"), 30L * MIB, 1);
        at.environment("FDT_KEY", alice);
        FdtProcess writing = at.startCopy("--rate-limit", "1Mbit", "--chunk-size", "128KiB", source, server.url("/f"));
        writing.awaitAcknowledged(Workplace.LIMIT, 1 << 17);
        at.environment("FDT_KEY", bob);

        Outcome refused = at.copy(source, server.url("/f")).expectExit(11);

        assertThat(refused.errText())
                .contains("another copy is writing this target")
                .doesNotContain("alice");
        awaitLines(log, 1);
        assertThat(lines(log).get(0))
                .containsEntry("key", "bob")
                .containsEntry("outcome", "failed")
                .containsEntry("cause", "busy")
                .containsEntry("full_path", server.root().resolve("f").toString());
        assertThat(String.valueOf(lines(log).get(0).get("reason"))).contains("is being written by the key alice");
        server.process()
                .awaitErrorLine(
                        Workplace.LIMIT,
                        text -> text.contains("the key bob") && text.contains("is being written by the key alice"));
        writing.signal("INT");
        writing.await(Workplace.LIMIT).expectExit(130);
    }

    @Test
    void copiesContinueWhileTheTransferLogCannotBeWritten() throws IOException {
        FdtServer server = at.server("--transfer-log", "/dev/full");
        Trees.manyFiles(at.path("many"), 50, 100);
        at.copy(at.path("many"), server.url("/")).expectExit(0);
        Trees.assertSame(at.path("many"), server.root().resolve("many"));
        server.process()
                .awaitErrorLine(
                        Workplace.LIMIT,
                        text -> text.contains("cannot write the transfer log /dev/full")
                                && text.contains("copies continue"));
        at.fdt("server", "--transfer-log", at.path("none/log")).expectExit(5);
    }

    @Test
    void limitsTheSumOfAllCopiesToTheRateOfTheServer() {
        FdtServer server = at.server("--rate-limit", "10MB/s");
        Trees.file(at.path("f"), 20_000_000, 1);
        FdtProcess first = at.startCopy("-P", 2, at.path("f"), server.url("/1"));
        FdtProcess second = at.startCopy("-P", 2, at.path("f"), server.url("/2"));
        double seconds = Math.max(
                first.await(Workplace.LIMIT).expectExit(0).decimal("seconds"),
                second.await(Workplace.LIMIT).expectExit(0).decimal("seconds"));
        assertThat(seconds).isGreaterThan(2.5);
        Outcome pulled = at.copy("-P", 2, server.url("/1"), at.path("back")).expectExit(0);
        assertThat(pulled.decimal("seconds")).isGreaterThan(1.4);
        assertThat(at.path("back")).hasSameBinaryContentAs(at.path("f"));
    }

    @Test
    void aKeyHasLimitsOfItsOwnAndCanBeReplaced() {
        FdtServer server = at.server();
        String first = at.fdt(
                        "key", "create", "bob", "--max-bytes", "1M", "--rate-limit", "80Mbit", "--max-sessions", 2)
                .expectExit(0)
                .out()
                .get(0);
        assertThat(at.fdt("key", "list").out().toString())
                .contains("at most 80.0 Mbit/s (9.54 MiB/s), 1.00 MiB per transfer, 2 sessions");
        Trees.file(at.path("f"), 2L * MIB, 1);
        assertThat(at.fdt("key", "create", "bob").expectExit(2).errText()).contains("--replace");
        String second =
                at.fdt("key", "create", "bob", "--replace").expectExit(0).out().get(0);
        at.environment("FDT_KEY", first);
        Await.until(
                "the old key is refused",
                Workplace.LIMIT,
                () -> at.copy(at.path("f"), server.url("/f")).exitCode() == 7);
        at.environment("FDT_KEY", second);
        at.copy(at.path("f"), server.url("/f")).expectExit(0);
        String third = at.fdt("key", "create", "bob", "--replace", "--max-bytes", "1M")
                .expectExit(0)
                .out()
                .get(0);
        at.environment("FDT_KEY", third);
        assertThat(at.copy(at.path("f"), server.url("/g")).expectExit(7).errText())
                .contains("at most 1048576 bytes");
    }
}
