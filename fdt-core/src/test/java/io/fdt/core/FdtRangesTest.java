package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.shard.Costs;
import io.fdt.core.shard.Division;
import io.fdt.core.shard.Job;
import io.fdt.core.shard.JobFinish;
import io.fdt.core.shard.JobPlanning;
import io.fdt.core.shard.JobStatus;
import io.fdt.core.shard.SplitAbove;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file in ranges over several shards, through two servers in this process that share a directory. */
class FdtRangesTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private final byte[] content = new byte[41 * MIB + 13];
    private Path source;
    private Path target;
    private Path job;
    private TestServer one;
    private TestServer two;

    @BeforeEach
    void start() throws IOException {
        new Random(5).nextBytes(content);
        source = Files.createDirectory(directory.resolve("tree"));
        Files.write(source.resolve("big"), content);
        Files.writeString(source.resolve("small"), "x");
        target = Files.createDirectory(directory.resolve("target"));
        job = directory.resolve("job");
        one = new TestServer(directory.resolve("home"), target);
        two = new TestServer(directory.resolve("home"), target);
    }

    @AfterEach
    void stop() {
        one.close();
        two.close();
    }

    private Job plan(int shards) {
        return JobPlanning.plan(
                job,
                TransferPlan.from(List.of(RawPath.of(source))),
                Set.of(Preserve.MODE, Preserve.TIMES, Preserve.XATTRS),
                new Division(shards, new Costs(Costs.DEFAULT_ENTRY_BYTES), new SplitAbove(8 * MIB)),
                () -> null,
                warning -> {});
    }

    private Summary run(TestServer server, Path shard) throws InterruptedException {
        return run(server, shard, Set.of(Preserve.MODE, Preserve.TIMES));
    }

    private Summary run(TestServer server, Path shard, Set<Preserve> preserve) throws InterruptedException {
        TransferPlan plan = TransferPlan.of(Direction.PUSH, List.of(), RawPath.ofText("/in/"))
                .at("127.0.0.1", server.port())
                .with(CopyValue.SHARD, shard)
                .lanes(2)
                .with(CopyValue.PRESERVE, preserve)
                .with(CopyValue.TIMEOUT_MS, 120_000L);
        try (TransferJob copy = Fdt.at(directory.resolve("home")).copy(plan)) {
            return copy.await();
        }
    }

    private Path shard(int number) {
        return job.resolve(String.format(Locale.ROOT, "shard-%04d", number));
    }

    private void runAll() throws InterruptedException {
        for (int shard = 2; shard >= 0; shard--) {
            assertThat(run(shard % 2 == 0 ? one : two, shard(shard)).failure()).isNull();
        }
    }

    private JobFinish.Result finish() throws InterruptedException {
        JobFinish finish = JobFinish.begin(job);
        JobFinish.Last last = finish.last();
        if (last != null) {
            run(one, last.shardFile(), last.preserve());
        }
        return finish.conclude(false);
    }

    private Path file() {
        return target.resolve("in/tree/big");
    }

    private List<Path> hidden() throws IOException {
        try (Stream<Path> all = Files.list(target.resolve("in/tree"))) {
            return all.filter(each -> String.valueOf(each.getFileName()).startsWith(".fdt."))
                    .toList();
        }
    }

    @Test
    void shardsThroughTwoServersAreOneFileAfterItsFinish() throws Exception {
        Job planned = plan(3);
        assertThat(planned.ranged()).isEqualTo(1);
        runAll();
        assertThat(JobStatus.read(job, System.currentTimeMillis()).bytesDone()).isEqualTo(planned.bytes());
        JobFinish.Result unfinished = JobFinish.begin(job).conclude(false);
        assertThat(unfinished.open().files()).isEqualTo(1);
        assertThat(unfinished.isComplete()).isFalse();
        assertThat(unfinished.receipt()).isNull();
        assertThat(file()).doesNotExist();
        JobFinish.Result result = finish();
        assertThat(result.missing().first()).isEmpty();
        assertThat(result.isComplete()).isTrue();
        assertThat(result.inPlace().unhashedFiles()).isZero();
        assertThat(result.digest()).isNotNull();
        assertThat(file()).hasBinaryContent(content);
        assertThat(Files.getLastModifiedTime(file())).isEqualTo(Files.getLastModifiedTime(source.resolve("big")));
        assertThat(hidden()).isEmpty();
        assertThat(finish()).as("twice").isEqualTo(result);
    }

    @Test
    void aDryRunOfAShardLeavesItsJobAsItWas() throws Exception {
        plan(1);
        List<Path> planned = filesOfJob();
        TransferPlan plan = TransferPlan.of(Direction.PUSH, List.of(), RawPath.ofText("/in/"))
                .at("127.0.0.1", one.port())
                .with(CopyValue.SHARD, shard(0))
                .with(CopyValue.DRY_RUN, true);
        try (TransferJob copy = Fdt.at(directory.resolve("home")).copy(plan)) {
            Summary summary = copy.await();
            assertThat(summary.failure()).as("%s", summary).isNull();
            assertThat(summary.preview())
                    .isNotNull()
                    .satisfies(each -> assertThat(each.filesToCopy()).isPositive());
        }
        assertThat(filesOfJob()).isEqualTo(planned);
    }

    private List<Path> filesOfJob() throws IOException {
        try (Stream<Path> all = Files.list(job)) {
            return all.sorted().toList();
        }
    }

    @Test
    void fileInRangesKeepsTheMetadataThatItsRunsPreserve() throws Exception {
        byte[] value = {1, 2, 3};
        Files.setAttribute(source.resolve("big"), "user:origin", ByteBuffer.wrap(value));
        boolean root = Files.getOwner(source).getName().equals("root");
        if (root) {
            Files.setAttribute(source.resolve("big"), "unix:uid", 4711);
        }
        plan(3);
        for (int shard = 0; shard < 3; shard++) {
            assertThat(run(one, shard(shard), Set.of(Preserve.MODE, Preserve.TIMES, Preserve.XATTRS, Preserve.OWNER))
                            .failure())
                    .isNull();
        }
        assertThat(finish().isComplete()).isTrue();
        assertThat(Files.getAttribute(file(), "user:origin")).isEqualTo(value);
        assertThat(Files.getAttribute(file(), "unix:uid"))
                .isEqualTo(Files.getAttribute(source.resolve("big"), "unix:uid"));
    }

    @Test
    void missingRangesBecomeRetryJob() throws Exception {
        plan(3);
        runAll();
        for (Path each : hidden()) {
            if (each.toString().endsWith(".0001.journal")) {
                Files.delete(each);
            }
        }
        JobFinish finish = JobFinish.begin(job);
        JobFinish.Last last = finish.last();
        assertThat(last).isNotNull();
        run(one, last.shardFile());
        JobFinish.Result result = finish.conclude(false);
        assertThat(result.missing().entries()).isEqualTo(1);
        assertThat(result.missing().first().get(0).reason()).contains("1 of its");
        assertThat(file()).doesNotExist();
        Path again = finish.again();
        long moved = 0;
        for (int shard = 0; shard < Job.readFrom(again).shards().size(); shard++) {
            Summary summary = run(two, again.resolve("shard-000" + shard));
            assertThat(summary.failure()).isNull();
            moved += summary.bytes().moved().sent();
        }
        assertThat(moved).as("one range and not all of them").isBetween(1L * MIB, 8L * MIB);
        assertThat(finish().isComplete()).isTrue();
        assertThat(file()).hasBinaryContent(content);
    }

    @Test
    void aSourceThatChangedSinceItsPlanIsRefusedByName() throws Exception {
        plan(3);
        assertThat(run(one, shard(0)).failure()).isNull();
        Files.setLastModifiedTime(source.resolve("big"), FileTime.fromMillis(1_000_000_000_000L));
        Summary refused = run(two, shard(1));
        assertThat(refused.failure().cause()).isEqualTo(Cause.CHANGED);
        run(one, shard(2));
        JobFinish finish = JobFinish.begin(job);
        assertThat(finish.last()).isNull();
        JobFinish.Result result = finish.conclude(false);
        assertThat(result.missing().entries()).isPositive();
        assertThat(result.missing().first()).anySatisfy(each -> {
            assertThat(each.path()).isEqualTo("tree/big");
            assertThat(each.reason()).contains("changed since it was listed");
        });
        assertThat(file()).doesNotExist();
    }
}
