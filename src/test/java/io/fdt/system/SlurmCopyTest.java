package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code scripts/slurm/copy} on a real Slurm. */
@Tag("fault")
@Tag("slurm")
@Order(2)
final class SlurmCopyTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final long MIB = 1 << 20;
    private static final long BIG_BYTES = 2048 * MIB;
    private static final int SHARDS = 8;

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path work() {
        return at.path("copy");
    }

    /** Starts the script. The nodes start fdt in the same way as all tests. */
    private FdtProcess start(SlurmCluster slurm, Object... words) {
        at.environment("SLURM_CONF", slurm.configuration().toString());
        StringBuilder line = new StringBuilder("exec " + SlurmCluster.script("slurm/copy"));
        for (Object word : words) {
            line.append(" '").append(word).append('\'');
        }
        return at.track(FdtProcess.start(at.setupThroughBash("copy", line + " --dir '" + work() + "' --fdt \"$*\"")));
    }

    private Outcome status() {
        return at.fdt("shard", "status", "--json", work().resolve("plan")).expectExit(0);
    }

    private Path log(int shard) {
        return work().resolve(String.format("log/shard-%04d.log", shard));
    }

    /**
     * Returns the JSON lines of a type that the runs of a shard printed, oldest first. Skips lines that a kill
     * truncated.
     */
    private List<Map<String, Object>> lines(int shard, String type) {
        List<Map<String, Object>> found = new ArrayList<>();
        for (String line : Trees.text(log(shard)).lines().toList()) {
            if (line.startsWith("{\"type\":\"" + type + "\"") && line.endsWith("}")) {
                found.add(Json.object(line));
            }
        }
        return found;
    }

    /** Returns the shard with at least this many bytes: that of the one big file. */
    private int shardOf(long bytes) {
        for (Map<String, Object> shard : status().jsonOfType("shard")) {
            if (number(shard, "bytes") >= bytes) {
                return Math.toIntExact(number(shard, "shard"));
            }
        }
        throw new AssertionError("no shard has the big file");
    }

    private static long number(Map<String, Object> object, String field) {
        if (object.get(field) instanceof Long number) {
            return number;
        }
        throw new AssertionError("no number " + field + " in " + object);
    }

    /** Returns the highest number of durable bytes that a progress line of the shard reported. */
    private long acknowledgedBytes(int shard) {
        return !Files.exists(log(shard))
                ? 0
                : lines(shard, "progress").stream()
                        .mapToLong(progress -> progress.get("bytes") instanceof Long bytes ? bytes : 0)
                        .max()
                        .orElse(0);
    }

    @Test
    void aNodeThatDiesCostsOnlyWhatWasNotDurable() throws IOException {
        SlurmCluster slurm = at.closing(SlurmCluster.start(at.path("slurm"), 3));
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), BIG_BYTES, 1);
        Trees.manyFiles(tree.resolve("many"), 5000, 3000);
        Path target = at.directory("remote");
        // Each shard takes some seconds, so that it can be killed in the middle.
        at.environment("FDT_CLIENT_RATE_LIMIT", "24MiB/s");
        Object[] words = {
            tree,
            target,
            "--shards",
            SHARDS,
            "--nodes",
            4,
            "--servers",
            2,
            "--share",
            "--cpus",
            4,
            "--sbatch-servers",
            "--nodelist=n1",
            "--sbatch-shards",
            "--exclude=n1"
        };
        FdtProcess copy = start(slurm, words);
        copy.awaitErrorLine(LIMIT, line -> line.startsWith("finish: job "));
        String job =
                copy.awaitErrorLine(LIMIT, line -> line.startsWith("shards ")).replaceFirst(".*job ", "");
        List<Map<String, Object>> shards = status().jsonOfType("shard");
        long mean = BIG_BYTES / SHARDS;
        assertThat(shards)
                .as("the big file is in ranges; many small ones weigh more than their bytes")
                .hasSize(SHARDS)
                .allSatisfy(shard -> assertThat(number(shard, "bytes")).isLessThan(mean * 5 / 4))
                .filteredOn(shard -> number(shard, "bytes") > mean)
                .hasSizeGreaterThan(SHARDS / 2);
        AtomicInteger begun = new AtomicInteger(-1);
        Await.until("a third of a shard is durable", LIMIT, () -> {
            begun.set(IntStream.range(0, SHARDS)
                    .filter(shard -> acknowledgedBytes(shard) > mean / 3
                            && lines(shard, "summary").isEmpty())
                    .findFirst()
                    .orElse(-1));
            return begun.get() >= 0;
        });
        int big = begun.get();

        String node = nodeOf(slurm, job, big);
        slurm.killNode(node);
        long acknowledged = acknowledgedBytes(big);
        assertThat(work().resolve(String.format("plan/receipt-%04d.json", big))).doesNotExist();
        Await.until(
                "the task has another node",
                LIMIT,
                () -> slurm.tasks(job).lines().anyMatch(line -> line.matches(big + " RUNNING n[23]"))
                        && !nodeOf(slurm, job, big).equals(node));
        Outcome outcome = copy.await(LIMIT).expectExit(0);

        // Data that was reported as durable was not sent again.
        List<Map<String, Object>> ends = lines(big, "summary");
        assertThat(ends).hasSize(1);
        assertThat(number(ends.get(0), "bytes_sent"))
                .isLessThanOrEqualTo(number(shards.get(big), "bytes") - acknowledged);
        assertThat(number(ends.get(0), "bytes_resumed")).isGreaterThanOrEqualTo(mean / 4);
        assertThat(Trees.text(log(big))).contains("start 0, try 1").contains("start 1, try 1");
        Trees.assertSame(tree, target.resolve("tree"));
        assertThat(outcome.jsonOfType("summary")).hasSize(1);
        assertThat(work().resolve("plan/receipt.json")).isNotEmptyFile();
        at.fdt("verify", "--receipt", work().resolve("plan/receipt.json"), target)
                .expectExit(0);
        Await.until(
                "nothing is left in the queue",
                LIMIT,
                () -> slurm.ok("squeue", "-h").isEmpty());

        // Slurm stores scripts, arguments and environments of jobs. None of these and no log contains a key.
        assertThat(Shell.run("grep", "-rlaF", "fdt-key:", at.path("slurm"), work().resolve("log"))
                        .out())
                .isEmpty();
        Path key = work().resolve("plan/key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        assertThat(Trees.text(key)).startsWith("fdt-key:");

        // The same command has no shards left to run.
        Outcome again = start(slurm, words).await(LIMIT).expectExit(0);
        assertThat(again.errText()).contains("going on with the plan").doesNotContain("shards ");
    }

    private static String nodeOf(SlurmCluster slurm, String job, int task) {
        return slurm.tasks(job)
                .lines()
                .filter(line -> line.startsWith(task + " RUNNING "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .findFirst()
                .orElse("");
    }

    @Test
    void aServerThatDiesComesBackElsewhereAndIsFoundThere() {
        SlurmCluster slurm = at.closing(SlurmCluster.start(at.path("slurm"), 2));
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 160 * MIB, 1);
        Trees.manyFiles(tree.resolve("many"), 100, 3000);
        Path target = at.directory("remote");
        at.environment("FDT_CLIENT_RATE_LIMIT", "4MiB/s");
        at.environment("FDT_CLIENT_TIMEOUT", "5s");
        FdtProcess copy = start(
                slurm,
                tree,
                target,
                "--shards",
                2,
                "--nodes",
                2,
                "--servers",
                1,
                "--share",
                "--cpus",
                2,
                "--sbatch-shards",
                "--nodelist=n2");
        String servers = copy.awaitErrorLine(LIMIT, line -> line.startsWith("servers: job "))
                .replaceFirst(".*job ", "");
        copy.awaitErrorLine(LIMIT, line -> line.startsWith("finish: job "));
        int big = shardOf(160 * MIB);
        Await.until("some of the big file is durable", LIMIT, () -> acknowledgedBytes(big) > 30 * MIB);
        assertThat(nodeOf(slurm, servers, 0)).isEqualTo("n1");
        Path address = work().resolve("servers/0000");
        String before = Trees.text(address);

        slurm.killNode("n1");
        Await.until(
                "the server has another place",
                LIMIT,
                () -> nodeOf(slurm, servers, 0).equals("n2"));
        copy.await(LIMIT).expectExit(0);
        assertThat(Trees.text(work().resolve("log/server-0000.log"))).contains(" n1: serves ", " n2: serves ");
        assertThat(before).startsWith("fdt://127.0.0.1:");
        Trees.assertSame(tree, target.resolve("tree"));
        List<Map<String, Object>> ends = lines(big, "summary");
        assertThat(number(ends.get(ends.size() - 1), "bytes_resumed")).isGreaterThan(20 * MIB);
    }

    @Test
    void timedOutTaskIsRequeuedAndACancelledOneIsNot() {
        SlurmCluster slurm = at.closing(SlurmCluster.start(at.path("slurm"), 1));
        Path tree = at.directory("local").resolve("tree");
        Trees.file(tree.resolve("big"), 120 * MIB, 1);
        at.environment("FDT_CLIENT_RATE_LIMIT", "4MiB/s");
        assertThat(start(slurm, tree, at.directory("remote"), "--nodes", 1)
                        .await(LIMIT)
                        .expectExit(2)
                        .errText())
                .contains("1 servers leave none of the 1 nodes to the shards");
        Object[] words = {
            tree, at.directory("remote"), "--shards", 1, "--nodes", 1, "--servers", 1, "--share", "--cpus", 1
        };
        FdtProcess copy = start(slurm, words);
        String job =
                copy.awaitErrorLine(LIMIT, line -> line.startsWith("shards ")).replaceFirst(".*job ", "");
        Await.until("some of it is durable", LIMIT, () -> acknowledgedBytes(0) > 16 * MIB);
        // Slurm signals the script alone before the time limit.
        slurm.ok("scancel", "--batch", "--signal=USR1", job + "_0");
        Await.until("it goes on", LIMIT, () -> Trees.text(log(0)).contains("start 1, try 1"));
        assertThat(Trees.text(log(0))).contains("the time of this job is over; back into the queue");
        assertThat(number(lines(0, "summary").get(0), "exit_code")).isEqualTo(143);
        Await.until("the second run moves", LIMIT, () -> lines(0, "start").size() == 2);

        slurm.ok("scancel", job);
        copy.await(LIMIT).expectExit(6);
        Await.until("the queue is empty", LIMIT, () -> slurm.ok("squeue", "-h").isEmpty());
        assertThat(Trees.text(log(0))).doesNotContain("start 2");
        at.environment("FDT_CLIENT_RATE_LIMIT", "");
        start(slurm, words).await(LIMIT).expectExit(0);
        Trees.assertSame(tree, at.path("remote/tree"));
    }

    @Test
    void sameCommandReportsAndMovesMissingFiles() throws IOException {
        SlurmCluster slurm = at.closing(SlurmCluster.start(at.path("slurm"), 2));
        Path tree = at.directory("local").resolve("tree");
        Trees.manyFiles(tree.resolve("many"), 200, 3000);
        FdtServer one = at.server();
        FdtServer two = at.server();
        Path map = Files.writeString(at.path("servers"), one.url("/in/") + "\n" + two.url("/in/") + "\n");
        Path open = Files.writeString(at.path("open-key"), "fdt-key:nothing\n");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(start(slurm, tree, "--target-map", map, "--key-file", open)
                        .await(LIMIT)
                        .expectExit(2)
                        .errText())
                .contains("readable by you alone");

        Path key = at.path("key");
        Files.writeString(
                key, String.join("\n", at.fdt("key", "show").expectExit(0).out()) + "\n");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Object[] words = {tree, "--target-map", map, "--key-file", key, "--shards", 3, "--nodes", 2, "--cpus", 2};
        // A target path that is a directory: that file fails, and no other.
        Files.createDirectories(one.root().resolve("in/tree/many/d000/f000007/in the way"));
        Outcome failed = start(slurm, words).await(LIMIT).expectExit(6);
        assertThat(failed.errText()).contains("see " + work()).contains("run the same command with --dir");
        assertThat(failed.jsonOfType("missing")).hasSize(1);
        Shell.removeTree(one.root().resolve("in/tree/many/d000/f000007"));
        start(slurm, words).await(LIMIT).expectExit(0);
        Trees.assertSame(tree, one.root().resolve("in/tree"));
    }
}
