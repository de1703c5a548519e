package io.fdt.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that are too large for a shard are cut so that shards have equal costs and every byte is in one range.
 * {@code -Dfdt.seed=…} replays a run.
 */
final class RangeCutTest {
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int ROUNDS = 40;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    @TempDir
    Path temp;

    private static FileEntry file(int number, long sizeBytes) {
        return Entries.file("f" + number, sizeBytes);
    }

    private Job plan(Path out, List<FileEntry> files, int shards, SplitAbove split) throws IOException {
        Files.createDirectory(out);
        return new Planner(out, shards, new Costs(Costs.DEFAULT_ENTRY_BYTES), split)
                .plan(files::forEach, false, List.of(RawPath.ofText("/src")), () -> {});
    }

    private static List<FileEntry> entries(Path out, Job job) {
        List<FileEntry> entries = new ArrayList<>();
        for (JobShard each : job.shards()) {
            try (Shard shard = Shard.open(out.resolve(each.fileName()))) {
                for (PlannedEntry planned = shard.next(); planned != null; planned = shard.next()) {
                    entries.add(planned.entry());
                }
            }
        }
        return entries;
    }

    @Test
    void fewHugeFilesBalanceWithinFivePercentAndNoByteIsLost() throws IOException {
        Random random = new Random(SEED);
        System.err.println("-Dfdt.seed=" + SEED);
        for (int round = 0; round < ROUNDS; round++) {
            List<FileEntry> files = new ArrayList<>();
            int count = 1 + random.nextInt(5);
            for (int i = 0; i < count; i++) {
                files.add(file(i, (long) (Math.pow(random.nextDouble(), 3) * 40_000 * GIB) + 2000 * GIB));
            }
            int small = random.nextInt(2) * random.nextInt(3000);
            for (int i = 0; i < small; i++) {
                files.add(file(count + i, random.nextInt(1 << 30)));
            }
            int shards = 1 + random.nextInt(64);
            Path out = temp.resolve("job-" + round);
            Job job = plan(out, files, shards, SplitAbove.DEFAULT);
            String what = "round " + round + ": " + count + " huge and " + small + " small files in " + shards;
            assertThat(job.imbalance()).as(what).isLessThanOrEqualTo(0.05);
            assertThat(job.files()).as(what).isEqualTo(files.size());
            long twentieth = job.cost() / shards / 20;
            List<FileEntry> found = entries(out, job);
            Set<RawPath> cut = found.stream()
                    .filter(each -> each.range() != null)
                    .map(FileEntry::path)
                    .collect(Collectors.toSet());
            assertThat(job.ranged()).as(what).isEqualTo(cut.size());
            assertThat(files)
                    .as("%s: what is larger than a twentieth of a shard is cut", what)
                    .filteredOn(each -> each.sizeBytes() > twentieth)
                    .allMatch(each -> cut.contains(each.path()));
            assertThat(files)
                    .as("%s: what is below a fortieth stays whole", what)
                    .filteredOn(each -> each.sizeBytes() < twentieth / 2)
                    .noneMatch(each -> cut.contains(each.path()));
            assertThat(found).as(what).hasSize((int) job.entries());
            assertThat(job.shards().stream().mapToLong(JobShard::bytes).sum()).isEqualTo(job.bytes());
            assertThat(job.shards().stream().mapToLong(JobShard::cost).sum()).isEqualTo(job.cost());
            assertThat(found.stream().filter(each -> each.range() != null).count())
                    .as("%s: so many ranges cost something each", what)
                    .isLessThanOrEqualTo(45L * shards);
            assertCovered(
                    files.stream().filter(each -> cut.contains(each.path())).toList(), found, what);
        }
    }

    private static void assertCovered(List<FileEntry> files, List<FileEntry> found, String what) {
        Map<RawPath, List<FileEntry>> ranges = new HashMap<>();
        found.stream()
                .filter(each -> each.range() != null)
                .forEach(each -> ranges.computeIfAbsent(each.path(), path -> new ArrayList<>())
                        .add(each));
        for (FileEntry file : files) {
            List<FileEntry> parts = ranges.get(file.path());
            assertThat(parts).as(what).isNotNull();
            parts.sort(Comparator.comparingLong(each -> each.range().offset()));
            long end = 0;
            for (FileEntry part : parts) {
                assertThat(part.range().offset()).as(what).isEqualTo(end);
                assertThat(part.whole()).as(what).isEqualTo(file);
                end += part.sizeBytes();
            }
            assertThat(end).as(what).isEqualTo(file.sizeBytes());
        }
    }

    @Test
    void splitsFilesAboveTheRequestedSizeOnly() throws IOException {
        List<FileEntry> files = List.of(file(0, 100 * MIB), file(1, 16 * MIB), file(2, 16 * MIB + 1));
        Path out = temp.resolve("asked");
        Job job = plan(out, files, 2, new SplitAbove(16 * MIB));
        assertThat(job.ranged()).isEqualTo(2);
        assertThat(entries(out, job))
                .filteredOn(each -> each.range() == null)
                .extracting(each -> each.path().text())
                .containsExactly("f1");
        assertThat(plan(temp.resolve("never"), files, 2, SplitAbove.NEVER).ranged())
                .isZero();
        assertThat(plan(temp.resolve("default"), files, 2, SplitAbove.DEFAULT).ranged())
                .as("below 1 GiB")
                .isZero();
        assertThat(Job.readFrom(out)).isEqualTo(job);
    }

    @Test
    void limitsTheNumberOfRanges() throws IOException {
        Path out = temp.resolve("job");
        FileEntry file = file(0, FileRange.MAX_COUNT * 8 * MIB + 1);
        Job job = plan(out, List.of(file), 1, new SplitAbove(8 * MIB));
        assertThat(job.entries()).isEqualTo(FileRange.MAX_COUNT / 2 + 1);
    }
}
