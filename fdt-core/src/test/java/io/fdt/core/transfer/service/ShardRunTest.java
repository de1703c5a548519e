package io.fdt.core.transfer.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.shard.Costs;
import io.fdt.core.shard.Division;
import io.fdt.core.shard.JobFinish;
import io.fdt.core.shard.JobPlanning;
import io.fdt.core.shard.SplitAbove;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.transfer.sending.SenderSources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run of a shard vouches only for what its target has confirmed. */
final class ShardRunTest {
    private static final Set<Preserve> PRESERVE = Set.of(Preserve.MODE, Preserve.OWNER);

    @TempDir
    Path temp;

    private Path job;

    @BeforeEach
    void plan() throws IOException {
        Path tree = Files.createDirectory(temp.resolve("tree"));
        Files.writeString(tree.resolve("one"), "1");
        Files.writeString(tree.resolve("two"), "22");
        job = temp.resolve("job");
        JobPlanning.plan(
                job,
                TransferPlan.from(List.of(RawPath.of(tree))),
                PRESERVE,
                new Division(1, new Costs(Costs.DEFAULT_ENTRY_BYTES), SplitAbove.NEVER),
                () -> null,
                warning -> {});
    }

    private static Summary summary(@Nullable Cause cause) {
        return new Summary(
                cause == null ? null : Failure.of(cause, ""),
                new Summary.Files(2, 0, 0, 0, List.of()),
                Summary.Bytes.of(3, new Moved(0, 3, 3, 3, 3)),
                new Summary.Run("s", 1, 0, 1, "none"),
                null,
                null);
    }

    /** Settles all entries with the same outcome, and ends. */
    private void run(FileOutcome outcome, byte[] digest, Summary summary, boolean finished) {
        Path file = job.resolve("shard-0000");
        try (Sources sources = new ShardSources(file, new SenderSources.Problems());
                ShardRun run = new ShardRun(file, DigestKind.XXH3_128, PRESERVE)) {
            for (FileEntry entry = sources.next(); entry != null; entry = sources.next()) {
                run.found(entry);
                run.settled(entry, entry.sizeBytes(), digest, outcome, null);
            }
            run.finish(summary, finished);
        }
    }

    private Path receipt() {
        return job.resolve("receipt-0000.json");
    }

    @Test
    void aSessionThatWasLostAfterItsLastFileLeavesNoReceipt() {
        run(FileOutcome.COPIED, new byte[16], summary(Cause.CONNECTION_LOST), false);
        assertThat(receipt()).doesNotExist();
        assertThat(JobFinish.begin(job).conclude(false).missing().entries()).isEqualTo(3);
        run(FileOutcome.SKIPPED, new byte[0], summary(null), true);
        assertThat(receipt()).content().contains("\"outcome\":\"ok\"").contains("xxh3-128:");
        assertThat(JobFinish.begin(job).conclude(false).isComplete()).isTrue();
    }

    @Test
    void oneFailedFileDoesNotInvalidateTheOthers() {
        Path file = job.resolve("shard-0000");
        try (Sources sources = new ShardSources(file, new SenderSources.Problems());
                ShardRun run = new ShardRun(file, DigestKind.XXH3_128, PRESERVE)) {
            boolean failed = false;
            for (FileEntry entry = sources.next(); entry != null; entry = sources.next()) {
                run.found(entry);
                FileOutcome outcome = failed || !entry.hasData() ? FileOutcome.COPIED : FileOutcome.FAILED;
                failed |= outcome == FileOutcome.FAILED;
                run.settled(entry, entry.sizeBytes(), new byte[16], outcome, Failure.of(Cause.TARGET, "it changed"));
            }
            run.finish(summary(Cause.SOME_FILES_FAILED), true);
        }
        JobFinish.Result result = JobFinish.begin(job).conclude(false);
        assertThat(result.missing().first())
                .singleElement()
                .satisfies(each -> assertThat(each.reason()).isEqualTo("it changed"));
        assertThat(receipt()).doesNotExist();
    }
}
