package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.zip.Adler32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A copy in shards by many processes gives the same result as a copy by one process. */
final class ShardTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path job() {
        return at.path("job");
    }

    private Outcome plan(Path source, int shards, Object... options) {
        Object[] words = new Object[7 + options.length];
        System.arraycopy(
                new Object[] {"shard", "plan", "--json", source, "--into", shards, "--out=" + job()}, 0, words, 0, 7);
        System.arraycopy(options, 0, words, 7, options.length);
        return at.fdt(words).expectExit(0);
    }

    private Outcome run(int shard, Object target) {
        return at.copy("-P", 2, "--shard", job().resolve(String.valueOf(shard)), target);
    }

    @Test
    void shardsThroughSeveralServersAreOneCopy() throws IOException {
        Path tree = OddTree.create(at.directory("local").resolve("tree"));
        Trees.file(tree.resolve("big"), 20 * MIB + 17, 1);
        Trees.manyFiles(tree.resolve("many"), 200, 6000);
        FdtServer one = at.server("--mode-mask", "000");
        FdtServer two = at.server("--mode-mask", "000");
        Outcome planned = plan(tree, 3, "--preserve", "all");
        assertThat(planned.jsonOfType("shard")).hasSize(3);
        Path map = Files.writeString(
                at.path("servers"), "# both export the same\n127.0.0.1:" + one.port() + "\n\n" + two.url("/") + "\n");
        String path = one.url("/in/").replaceFirst("fdt://[^/]*", "");
        for (int shard = 2; shard >= 0; shard--) {
            assertThat(at.fdt("shard", "finish", "--json", job()).expectExit(6).number("entries_missing"))
                    .isPositive();
            Object place = job().resolve(String.valueOf(shard));
            Outcome outcome = at.copy("--preserve", "all", "--shard", place, "--target-map", map, path);
            assertThat(outcome.expectExit(0).number("files_failed")).isZero();
            assertThat(job().resolve("receipt-000" + shard + ".json")).exists();
        }
        Outcome status = at.fdt("shard", "status", "--json", job()).expectExit(0);
        assertThat(status.jsonOfType("shard"))
                .extracting(each -> each.get("state"))
                .containsOnly("done");
        Outcome finished =
                at.fdt("shard", "finish", "--json", job(), one.url("/in/")).expectExit(0);
        Trees.assertSame(tree, one.root().resolve("in/tree"));
        Outcome again =
                at.fdt("shard", "finish", "--json", job(), one.url("/in/")).expectExit(0);
        assertThat(again.summary()).isEqualTo(finished.summary());
        assertThat(finished.summary().get("digest")).isNotNull();
        at.fdt("verify", "--receipt", job().resolve("receipt.json"), one.root().resolve("in"))
                .expectExit(0);
    }

    @Test
    void finishAfterTheTargetWasLostFails() throws IOException {
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 20 * MIB + 17, 1);
        FdtServer server = at.server();
        plan(tree, 2, "--split-above", "8MiB");
        for (int shard = 0; shard < 2; shard++) {
            run(shard, server.url("/in/")).expectExit(0);
        }
        Outcome finished = at.fdt("shard", "finish", job(), server.url("/in/")).expectExit(0);
        assertThat(finished.out()).anyMatch(line -> line.startsWith("complete: "));
        Path receipt = job().resolve("receipt.json");
        Object written =
                Files.readAttributes(receipt, BasicFileAttributes.class).fileKey();
        Files.delete(server.root().resolve("in/tree/big"));

        Outcome text = at.fdt("shard", "finish", job(), server.url("/in/"));
        Outcome json = at.fdt("shard", "finish", "--json", job(), server.url("/in/"));
        text.expectExit(6);
        json.expectExit(6);
        assertThat(text.out()).noneMatch(line -> line.startsWith("complete"));
        assertThat(text.errText()).contains("tree/big");
        assertThat(json.summary()).containsEntry("outcome", "failed").containsEntry("exit_code", 6L);
        assertThat(json.summary().get("receipt")).hasToString("null");
        assertThat(Files.readAttributes(receipt, BasicFileAttributes.class).fileKey())
                .as("the receipt of the first finish")
                .isEqualTo(written);
    }

    @Test
    @Tag("full")
    void runAfterAKillMovesOnlyWhatIsMissing() {
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 40 * MIB + 99, 1);
        Trees.manyFiles(tree.resolve("many"), 50, 6000);
        FdtServer server = at.server();
        plan(tree, 1);
        long acknowledged;
        try (FaultProxy proxy = FaultProxy.before(server.port()).throttle(12L * MIB)) {
            FdtProcess client =
                    at.startCopy("-P", 2, "--shard", job().resolve("0"), server.urlAt(proxy.port(), "/in/"));
            client.awaitAcknowledged(Workplace.LIMIT, 16L * MIB);
            client.killHard();
            Outcome killed = client.await(Workplace.LIMIT);
            assertThat(killed.exitCode()).isEqualTo(137);
            acknowledged = killed.jsonOfType("progress").stream()
                    .mapToLong(progress -> (Long) progress.getOrDefault("bytes", 0L))
                    .max()
                    .orElse(0);
        }
        assertThat(job().resolve("receipt-0000.json")).doesNotExist();
        Outcome rerun = run(0, server.url("/in/")).expectExit(0);
        assertThat(rerun.number("bytes_sent")).isLessThanOrEqualTo(rerun.number("bytes") - acknowledged);
        assertThat(rerun.number("bytes_resumed")).isPositive();
        at.fdt("shard", "finish", job()).expectExit(0);
        Trees.assertSame(tree, server.root().resolve("in/tree"));
    }

    @Test
    @Tag("full")
    void aFileInRangesThroughTwoServersSurvivesAKillAndIsMovedOnce() {
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 60 * MIB + 99, 1);
        FdtServer one = at.server();
        FdtServer two = at.server();
        Outcome planned = plan(tree, 3, "--split-above", "8MiB");
        assertThat(planned.number("files_in_ranges")).isEqualTo(1);
        run(0, one.url("/in/")).expectExit(0);
        long acknowledged;
        try (FaultProxy proxy = FaultProxy.before(two.port()).throttle(4L * MIB)) {
            FdtProcess client = at.startCopy(
                    "--timeout", "15s", "-P", 2, "--shard", job().resolve("1"), two.urlAt(proxy.port(), "/in/"));
            client.awaitAcknowledged(Workplace.LIMIT, 1);
            client.killHard();
            Outcome killed = client.await(Workplace.LIMIT);
            assertThat(killed.exitCode()).isEqualTo(137);
            acknowledged = killed.jsonOfType("progress").stream()
                    .mapToLong(progress -> (Long) progress.getOrDefault("bytes", 0L))
                    .max()
                    .orElse(0);
        }
        // The range belongs to the session of the killed client until the server ends that session.
        two.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        run(2, two.url("/in/")).expectExit(0);
        at.fdt("shard", "finish", job(), one.url("/in/")).expectExit(6);
        // The other server resumes what the first one left.
        Outcome rerun = run(1, one.url("/in/")).expectExit(0);
        assertThat(rerun.number("bytes_sent")).isLessThanOrEqualTo(rerun.number("bytes") - acknowledged);
        assertThat(rerun.number("bytes_resumed")).isPositive();
        Outcome nameless = at.fdt("shard", "finish", "--json", job()).expectExit(6);
        assertThat(nameless.number("files_open")).isEqualTo(1);
        assertThat(one.root().resolve("in/tree/big")).doesNotExist();
        Outcome finished =
                at.fdt("shard", "finish", "--json", job(), two.url("/in/")).expectExit(0);
        Trees.assertSame(tree, one.root().resolve("in/tree"));
        assertThat(at.fdt("shard", "finish", "--json", job(), one.url("/in/"))
                        .expectExit(0)
                        .summary())
                .isEqualTo(finished.summary());
        at.fdt("verify", "--receipt", job().resolve("receipt.json"), one.root().resolve("in"))
                .expectExit(0);
        at.fdt(
                        "verify",
                        "--receipt",
                        job().resolve("receipt-0000.json"),
                        one.root().resolve("in"))
                .expectExit(2);
    }

    @Test
    @Tag("full")
    void concurrentRunsOfOneShardComplete() {
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 12 * MIB, 1);
        Trees.manyFiles(tree.resolve("many"), 300, 9000);
        FdtServer server = at.server();
        plan(tree, 2);
        try (FaultProxy proxy = FaultProxy.before(server.port()).throttle(8L * MIB)) {
            for (int shard = 0; shard < 2; shard++) {
                Object place = job().resolve(String.valueOf(shard));
                FdtProcess first = at.startCopy("-P", 2, "--shard", place, server.urlAt(proxy.port(), "/in/"));
                FdtProcess second = at.startCopy("-P", 2, "--shard", place, server.urlAt(proxy.port(), "/in/"));
                List<Integer> codes = List.of(
                        first.await(Workplace.LIMIT).exitCode(),
                        second.await(Workplace.LIMIT).exitCode());
                assertThat(codes)
                        .contains(0)
                        .allSatisfy(code -> assertThat(code).isIn(0, 11));
                run(shard, server.url("/in/")).expectExit(0);
            }
        }
        Outcome finished = at.fdt("shard", "finish", "--json", job()).expectExit(0);
        assertThat(finished.number("files_unhashed")).isZero();
        Trees.assertSame(tree, server.root().resolve("in/tree"));
    }

    @Test
    void receiptHasDigestsOfFilesThatAlreadyExisted() {
        Path tree = at.directory("local").resolve("tree");
        Trees.manyFiles(tree, 30, 3000);
        FdtServer server = at.server();
        at.copy(tree, server.url("/in/")).expectExit(0);
        plan(tree, 2);
        run(0, server.url("/in/")).expectExit(0);
        run(1, server.url("/in/")).expectExit(0);
        Outcome finished = at.fdt("shard", "finish", "--json", job()).expectExit(0);
        assertThat(finished.number("files_unhashed")).isZero();
        assertThat(finished.summary().get("digest")).isNotNull();
        at.fdt(
                        "verify",
                        "--receipt",
                        job().resolve("receipt.json"),
                        server.root().resolve("in"))
                .expectExit(0);
    }

    /** Also of a file that two shards copied in parts; the checksums are those that all runs computed. */
    @Test
    void receiptsHaveTheChecksumsThatRunsComputed() throws IOException {
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 20 * MIB + 17, 1);
        Trees.file(tree.resolve("small"), 3000, 2);
        FdtServer server = at.server();
        assertThat(plan(tree, 2, "--split-above", "8MiB").number("files_in_ranges"))
                .isEqualTo(1);
        for (String types : List.of("adler32", "adler32,crc32c")) {
            Path shard = job().resolve(types.contains(",") ? "1" : "0");
            at.copy("--checksum", types, "--shard", shard, server.url("/in/")).expectExit(0);
        }
        at.fdt("shard", "finish", "--json", job(), server.url("/in/")).expectExit(0);
        assertThat(Files.readString(job().resolve("receipt-0001.json"))).contains("crc32c");
        assertThat(Files.readString(job().resolve("receipt.json")))
                .contains("\"checksums\":{\"adler32\":\"" + adler32(tree.resolve("big")) + "\"}")
                .contains("\"checksums\":{\"adler32\":\"" + adler32(tree.resolve("small")) + "\"}");
    }

    private static String adler32(Path file) throws IOException {
        Adler32 sum = new Adler32();
        sum.update(Files.readAllBytes(file));
        return String.format("%08x", sum.getValue());
    }

    @Test
    void changedSourceFailsByNameAndOthersAreCopied() throws IOException {
        Path tree = at.directory("local").resolve("tree");
        Trees.manyFiles(tree.resolve("many"), 40, 3000);
        Files.writeString(tree.resolve("restless"), "before");
        FdtServer server = at.server();
        plan(tree, 2);
        Files.writeString(tree.resolve("restless"), "after it was planned");
        int[] codes = {
            run(0, server.url("/in/")).exitCode(), run(1, server.url("/in/")).exitCode()
        };
        assertThat(codes).containsExactlyInAnyOrder(0, 3);
        assertThat(server.root().resolve("in/tree/restless")).doesNotExist();
        Outcome finished = at.fdt("shard", "finish", "--json", "--again", job()).expectExit(6);
        assertThat(finished.number("entries_missing")).isEqualTo(1);
        Map<String, Object> missing = finished.jsonOfType("missing").get(0);
        assertThat(missing.get("path")).isEqualTo("tree/restless");
        assertThat(String.valueOf(missing.get("reason"))).contains("changed since it was listed");
        assertThat(job().resolve("again-1/shard-0000")).exists();
    }

    @Test
    @Tag("full")
    void missingEntriesBecomeAnotherJob() {
        Path tree = at.directory("local").resolve("tree");
        Trees.manyFiles(tree.resolve("many"), 60, 3000);
        Trees.manyFiles(tree.resolve("more"), 60, 3000);
        FdtServer server = at.server();
        plan(tree, 4);
        run(0, server.url("/in/")).expectExit(0);
        run(2, server.url("/in/")).expectExit(0);
        Outcome left = at.fdt("shard", "finish", "--json", "--again", job()).expectExit(6);
        long shards = left.number("shards_again");
        assertThat(shards).isEqualTo(2);
        for (int shard = 0; shard < shards; shard++) {
            at.copy("--shard", job().resolve("again-1/" + shard), server.url("/in/"))
                    .expectExit(0);
        }
        Outcome finished = at.fdt("shard", "finish", "--json", job()).expectExit(0);
        assertThat(finished.number("entries_in_place")).isEqualTo(finished.number("entries"));
        assertThat(finished.number("files_unhashed")).isZero();
        Trees.assertSame(tree, server.root().resolve("in/tree"));
        at.fdt(
                        "verify",
                        "--receipt",
                        job().resolve("receipt.json"),
                        server.root().resolve("in"))
                .expectExit(0);
    }

    /** A plan does not list what must stay, so a mirror is a copy of its own. */
    @Test
    void afterAJobAMirrorDeletesWhatIsTooMuchAndMovesNothing() {
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 20 * MIB + 99, 1);
        Trees.manyFiles(tree.resolve("many"), 50, 6000);
        FdtServer server = at.server();
        String target = server.url("/in/");
        plan(tree, 2, "--split-above", "8MiB");
        run(0, target).expectExit(0);
        Path extra = Trees.file(server.root().resolve("in/tree/many/extra"), 10, 2);
        at.copy("--delete", "--shard", job().resolve("1"), target).expectExit(2);
        run(1, target).expectExit(0);
        at.fdt("shard", "finish", job(), target).expectExit(0);
        assertThat(extra).exists();
        Outcome mirrored = at.copy("--delete", tree, target).expectExit(0);
        assertThat(mirrored.number("files_deleted")).isEqualTo(1);
        assertThat(mirrored.number("bytes_sent")).isZero();
        Trees.assertSame(tree, server.root().resolve("in/tree"));
    }

    @Test
    void keyOfAJobIsPrivateAndEnoughForAllRuns() throws IOException {
        Path tree = at.directory("local").resolve("tree");
        Trees.manyFiles(tree, 10, 3000);
        FdtServer server = at.server();
        plan(tree, 1, "--new-key", "job", "--key-root", server.root(), "--key-expires", "1h");
        Path key = job().resolve("key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        // The home of this node does not contain the server.
        at.environment("FDT_HOME", at.directory("node").toString());
        Files.move(key, at.path("elsewhere"));
        run(0, server.url("/in/")).expectExit(7);
        Files.move(at.path("elsewhere"), key);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        run(0, server.url("/in/")).expectExit(7);
        assertThat(server.root().resolve("in")).doesNotExist();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        run(0, server.url("/in/")).expectExit(0);
        at.fdt("shard", "finish", job()).expectExit(0);
        Trees.assertSame(tree, server.root().resolve("in/tree"));
    }

    @Test
    @Tag("full")
    void statusShowsARunningShard() {
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 40 * MIB, 1);
        FdtServer server = at.server();
        plan(tree, 1);
        assertThat(state()).isEqualTo("waiting");
        try (FaultProxy proxy = FaultProxy.before(server.port()).throttle(4L * MIB)) {
            FdtProcess client =
                    at.startCopy("-P", 2, "--shard", job().resolve("0"), server.urlAt(proxy.port(), "/in/"));
            Await.until("it is seen", Workplace.LIMIT, () -> state().equals("running"));
            client.signal("TERM");
            // Before there is a session, the signal interrupts whatever the client is waiting for.
            assertThat(client.await(Workplace.LIMIT).exitCode()).isIn(130, 143);
        }
        assertThat(state()).isEqualTo("stopped");
        run(0, server.url("/in/")).expectExit(0);
        assertThat(state()).isEqualTo("done");
    }

    private String state() {
        Outcome status = at.fdt("shard", "status", "--json", job()).expectExit(0);
        return String.valueOf(status.jsonOfType("shard").get(0).get("state"));
    }
}
