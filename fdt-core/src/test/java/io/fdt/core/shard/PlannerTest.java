package io.fdt.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.NewFile;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.wire.RunRecord.EntryOutcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job contains all of the sources exactly once, and each shard contains everything that it needs to run by itself.
 */
final class PlannerTest {
    private static final Costs COSTS = new Costs(Costs.DEFAULT_ENTRY_BYTES);

    @TempDir
    Path temp;

    private Job plan(Path source, Path out, int shards) {
        return plan(source, out, shards, SplitAbove.DEFAULT);
    }

    private static Job plan(Path source, Path out, int shards, SplitAbove split) {
        return plan(source, out, shards, split, () -> null);
    }

    private static Job plan(Path source, Path out, int shards, SplitAbove split, Supplier<@Nullable String> key) {
        return JobPlanning.plan(
                out,
                TransferPlan.from(List.of(RawPath.of(source))),
                Set.of(Preserve.MODE, Preserve.TIMES, Preserve.LINKS),
                new Division(shards, COSTS, split),
                key,
                warning -> {});
    }

    private static List<PlannedEntry> entries(Path shard) {
        List<PlannedEntry> entries = new ArrayList<>();
        try (Shard open = Shard.open(shard)) {
            for (PlannedEntry each = open.next(); each != null; each = open.next()) {
                entries.add(each);
            }
        }
        return entries;
    }

    /** Creates a tree with all kinds of entries, with names that are not text. */
    private Path tree() throws IOException {
        Path tree = Files.createDirectory(temp.resolve("tree"));
        Random random = new Random(3);
        for (int i = 0; i < 300; i++) {
            Path directory = tree.resolve("d" + random.nextInt(7)).resolve("e" + random.nextInt(5));
            Files.createDirectories(directory);
            Files.write(directory.resolve("f" + i), new byte[random.nextInt(i % 50 == 0 ? 3_000_000 : 5000)]);
        }
        Files.createDirectory(tree.resolve("empty"));
        Files.createFile(tree.resolve("nothing"));
        Files.createSymbolicLink(tree.resolve("link"), Path.of("d1/nowhere"));
        Files.createDirectory(
                tree.resolve("sealed"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-xr-x---")));
        return tree;
    }

    /** A job may have more shards than a process may open files. */
    @Test
    void everyShardThatIsWrittenIsClosed() throws IOException {
        Path out = temp.resolve("job");
        assertThat(plan(tree(), out, 50).shards()).hasSize(50);
        List<Path> open = new ArrayList<>();
        try (var listed = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : listed) {
                if (Files.isSymbolicLink(descriptor)) {
                    open.add(Files.readSymbolicLink(descriptor));
                }
            }
        }
        assertThat(open).isNotEmpty().noneMatch(file -> file.startsWith(out));
    }

    @Test
    void everyEntryIsInOneShardAfterItsParents() throws IOException {
        Path tree = tree();
        Path out = temp.resolve("job");
        Job job = plan(tree, out, 5);
        TreeMap<RawPath, FileEntry> found = new TreeMap<>();
        for (JobShard shard : job.shards()) {
            Set<RawPath> given = new HashSet<>();
            List<PlannedEntry> entries = entries(out.resolve(shard.fileName()));
            assertThat(entries).hasSize((int) shard.entries());
            assertThat(entries.stream().mapToLong(PlannedEntry::bytes).sum()).isEqualTo(shard.bytes());
            for (PlannedEntry planned : entries) {
                RawPath path = planned.entry().path();
                assertThat(path.parent())
                        .satisfiesAnyOf(
                                parent -> assertThat(parent).isEqualTo(RawPath.EMPTY),
                                parent -> assertThat(given).contains(parent));
                if (planned.entry().kind() == Kind.DIRECTORY) {
                    given.add(path);
                }
                if (!planned.implied()) {
                    assertThat(found.put(path, planned.entry()))
                            .as("twice: %s", path)
                            .isNull();
                }
            }
        }
        try (Stream<Path> all = Files.walk(tree)) {
            assertThat(found.keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            all.map(path -> RawPath.of(temp.relativize(path))).toList());
        }
        assertThat(job.entries()).isEqualTo(found.size());
        assertThat(job.widened()).isEqualTo(1);
        assertThat(job.files()).isEqualTo(301);
        assertThat(job.imbalance()).isLessThan(0.05);
        assertThat(Job.readFrom(out)).isEqualTo(job);
        assertThat(JobFiles.matching(out, "{.fdt,spool}*")).isEmpty();
    }

    @Test
    void sameTreeMakesTheSameJobByteByByte() throws IOException {
        Path tree = tree();
        Job first = plan(tree, temp.resolve("one"), 4);
        Job second = plan(tree, temp.resolve("two"), 4);
        assertThat(second).isEqualTo(first);
        for (JobShard shard : first.shards()) {
            assertThat(temp.resolve("two").resolve(shard.fileName()))
                    .hasSameBinaryContentAs(temp.resolve("one").resolve(shard.fileName()));
            assertThat(Shard.digestText(temp.resolve("one").resolve(shard.fileName())))
                    .isEqualTo(shard.sha256());
        }
    }

    @Test
    void replacesAPlanOnlyBeforeItsFirstRun() throws IOException {
        Path tree = tree();
        Path out = temp.resolve("job");
        plan(tree, out, 9);
        Job again = plan(tree, out, 2);
        assertThat(JobFiles.matching(out, "shard-*")).hasSize(2);
        RunLog.begin(out.resolve("shard-0001")).close();
        assertThatThrownBy(() -> plan(tree, out, 3))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessageContaining("already run");
        assertThat(Job.readFrom(out)).isEqualTo(again);
    }

    @Test
    void secondPlannerIsRefusedWhileTheFirstOneWrites() throws IOException {
        Path tree = tree();
        Path out = temp.resolve("job");
        Job job = plan(tree, out, 2, SplitAbove.DEFAULT, () -> {
            assertThatThrownBy(() -> plan(tree, out, 3))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                    .hasMessageContaining("another fdt shard plan");
            return null;
        });
        assertThat(Job.readFrom(out)).isEqualTo(job);
        assertThat(plan(tree, out, 3).shards()).hasSize(3);
    }

    /** A program that holds the lock, as a planner in another process does, until it is killed. */
    public static final class OtherPlanner {
        private OtherPlanner() {}

        public static void main(String[] args) throws IOException {
            try (FileChannel lock =
                    FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                System.out.println(lock.tryLock() == null ? "busy" : "locked");
                System.in.read();
            }
        }
    }

    private static Process startOther(Path out) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherPlanner.class.getName(),
                        out.resolve("lock").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The kernel drops all locks of a process on a file when the process closes any descriptor of it. */
    @Test
    void plannerOfThisProcessKeepsTheLockWhenAnotherOneIsRefused() throws Exception {
        Path tree = tree();
        Path out = Files.createDirectory(temp.resolve("job"));
        PlanLock held = PlanLock.take(out);
        try {
            assertThatThrownBy(() -> plan(tree, out, 2)).hasMessageContaining("another fdt shard plan");
            Process other = startOther(out);
            try (BufferedReader said = other.inputReader()) {
                assertThat(said.readLine()).isEqualTo("busy");
            } finally {
                other.destroyForcibly().waitFor();
            }
        } finally {
            held.release();
        }
        assertThat(plan(tree, out, 2).shards()).hasSize(2);
    }

    @Test
    void plannerOfAnotherProcessLocksTheJobUntilItIsKilled() throws Exception {
        Path tree = tree();
        Path out = Files.createDirectory(temp.resolve("job"));
        Process other = startOther(out);
        try (BufferedReader said = other.inputReader()) {
            assertThat(said.readLine()).isEqualTo("locked");
            assertThatThrownBy(() -> plan(tree, out, 2)).hasMessageContaining("another fdt shard plan");
            assertThat(out.resolve("shard-0000")).doesNotExist();
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertThat(plan(tree, out, 2).shards()).hasSize(2);
    }

    @Test
    void leftoversOfAKilledPlannerAreReplaced() throws IOException {
        Path tree = tree();
        Path out = temp.resolve("job");
        Job wanted = plan(tree, temp.resolve("undisturbed"), 3);
        plan(tree, out, 9);
        // Everything that can exist before the job file, all at once.
        Files.delete(out.resolve("job"));
        for (String left : new String[] {"spool", ".fdt.0123456789abcdef.new"}) {
            Files.writeString(out.resolve(left), "half");
            assertUnfinished(out);
        }
        assertThat(plan(tree, out, 3)).isEqualTo(wanted);
        try (Stream<Path> all = Files.list(out)) {
            assertThat(all.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("job", "lock", "shard-0000", "shard-0001", "shard-0002");
        }
        assertThat(Job.readFrom(out)).isEqualTo(wanted);
    }

    @Test
    void anyLeftoverFileMarksAPlanAsUnfinished() throws IOException {
        for (String left : new String[] {"spool", ".fdt.0123456789abcdef.new", "shard-0000"}) {
            Path out = Files.createDirectory(temp.resolve("with-" + left));
            assertThatThrownBy(() -> Job.readFrom(out)).hasMessageContaining("contains no job");
            Files.createFile(out.resolve(left));
            assertUnfinished(out);
        }
        Path again = Files.createDirectories(temp.resolve("job/again-1"));
        Files.createFile(again.resolve("spool"));
        assertThatThrownBy(() -> Job.readFrom(again)).hasMessageContaining("fdt shard finish --again");
        assertThatThrownBy(() -> Job.readFrom(temp.resolve("with-spool/spool")))
                .hasMessageContaining("contains no job");
    }

    private static void assertUnfinished(Path out) {
        List<ThrowingCallable> readers =
                List.of(() -> Job.readFrom(out), () -> JobStatus.read(out, 0), () -> JobFinish.begin(out));
        for (ThrowingCallable reader : readers) {
            assertThatThrownBy(reader)
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                    .hasMessageContaining("contains an unfinished plan")
                    .hasMessageContaining("run the same fdt shard plan again");
        }
    }

    @Test
    void writesTheJobFileAfterTheKey() throws IOException {
        Path tree = tree();
        Path out = temp.resolve("job");
        assertThatThrownBy(() -> plan(tree, out, 2, SplitAbove.DEFAULT, () -> {
                    assertThat(out.resolve("shard-0001")).exists();
                    assertThat(out.resolve("job")).doesNotExist();
                    throw new IllegalStateException("no key");
                }))
                .hasMessage("no key");
        assertUnfinished(out);
        plan(tree, out, 2, SplitAbove.DEFAULT, () -> "a line");
        assertThat(JobKey.find(out)).isEqualTo("a line");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(out.resolve("key"))))
                .isEqualTo("rw-------");
    }

    @Test
    void changedJobFileIsRefused() throws IOException {
        Path out = temp.resolve("job");
        plan(tree(), out, 2);
        Path file = out.resolve("job");
        String text = Files.readString(file);
        Files.writeString(file, text.replaceFirst("\"cost\" : \\d", "\"cost\" : 9"));
        assertThat(Files.readString(file)).isNotEqualTo(text);
        assertThatThrownBy(() -> Job.readFrom(out)).hasMessageContaining("does not match its digest");
    }

    @Test
    void refusesTruncatedShard() throws IOException {
        Path out = temp.resolve("job");
        plan(tree(), out, 1);
        Path shard = out.resolve("shard-0000");
        byte[] whole = Files.readAllBytes(shard);
        for (int length : new int[] {whole.length - 1, whole.length - 9, whole.length / 2, 3}) {
            Files.write(shard, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> entries(shard)).as("cut to %d", length).hasMessageContaining("damaged");
        }
    }

    /** A directory with more entries than are held in memory. */
    @Test
    void plansAHugeDirectoryInBoundedMemory() throws IOException {
        Path out = Files.createDirectory(temp.resolve("job"));
        long count = 400_000;
        Planner planner = new Planner(out, 16, COSTS, SplitAbove.DEFAULT);
        Job job = planner.plan(
                each -> LongStream.range(0, count)
                        .mapToObj(i -> file("directory-of-some-length/file-" + i, (i + 1) % 10_000))
                        .forEach(each),
                false,
                List.of(RawPath.ofText("/src")),
                () -> {});
        assertThat(job.entries()).isEqualTo(count);
        assertThat(job.imbalance()).isLessThan(0.05);
        assertThat(job.shards().stream().mapToLong(JobShard::entries).sum()).isEqualTo(count);
        // A common prefix of names is written once, so this is less than half of what the entries would need.
        assertThat(job.shards().stream()
                        .mapToLong(
                                shard -> out.resolve(shard.fileName()).toFile().length())
                        .sum())
                .isLessThan(count * 50);
    }

    private static FileEntry file(String path, long sizeBytes) {
        return Entries.file(path, sizeBytes);
    }

    @Test
    void combinesTheLogsOfSeveralRuns() throws IOException {
        Path out = temp.resolve("job");
        plan(tree(), out, 1);
        Path shard = out.resolve("shard-0000");
        long count = ShardReceipt.count(shard);
        byte[] digest = new byte[DigestKind.XXH3_128.lengthBytes()];
        try (RunLog killed = RunLog.begin(shard)) {
            LongStream.range(0, count / 2)
                    .forEach(i -> killed.settled(i, EntryOutcome.IN_PLACE, 1, DigestKind.XXH3_128, digest, null));
            killed.confirmed(Set.of(Preserve.TIMES));
            killed.settled(count / 2, EntryOutcome.IN_PLACE, 1, DigestKind.XXH3_128, digest, null);
            killed.confirmed(Set.of(Preserve.TIMES));
        }
        // A damaged end of a log, as a kill leaves it, is ignored.
        Path log = JobFiles.runsOf(shard).get(0);
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length - 1] ^= 1;
        Files.write(log, bytes);
        assertThat(ShardState.read(shard, count).entriesInPlace()).isEqualTo(count / 2);
        assertThat(ShardReceipt.write(shard, "s1")).isFalse();
        try (RunLog second = RunLog.begin(shard)) {
            second.settled(
                    0,
                    EntryOutcome.FAILED,
                    1,
                    DigestKind.XXH3_128,
                    new byte[0],
                    Failure.of(Cause.TARGET, "is being written"));
            LongStream.range(1, count)
                    .forEach(i -> second.settled(
                            i,
                            i < count / 4 ? EntryOutcome.FOUND : EntryOutcome.IN_PLACE,
                            1,
                            DigestKind.XXH3_128,
                            digest,
                            null));
            second.confirmed(Set.of(Preserve.TIMES));
            second.end(0, 12);
        }
        ShardState state = ShardState.read(shard, count);
        assertThat(state.isComplete()).isTrue();
        assertThat(state.failure(0)).isNull();
        assertThat(state.digest(0)).isEqualTo(digest);
        assertThat(state.digest(count - 1)).isEqualTo(digest);
        assertThat(ShardReceipt.write(shard, "s2")).isTrue();
        assertThat(JobFiles.receiptOf(shard)).exists();
        assertThat(JobFiles.matching(out, NewFile.LEFTOVERS)).isEmpty();
    }

    /** The target flushes directories when a session ends: until then, a power cut may undo names. */
    @Test
    void countsOnlyEntriesThatTheTargetHasConfirmed() throws IOException {
        Path out = temp.resolve("job");
        plan(tree(), out, 1);
        Path shard = out.resolve("shard-0000");
        long count = ShardReceipt.count(shard);
        byte[] digest = new byte[DigestKind.XXH3_128.lengthBytes()];
        try (RunLog lost = RunLog.begin(shard)) {
            LongStream.range(0, count)
                    .forEach(i -> lost.settled(i, EntryOutcome.IN_PLACE, 1, DigestKind.XXH3_128, digest, null));
            lost.end(FailureKind.CONNECTION_LOST.exitCode(), 12);
        }
        assertThat(ShardReceipt.write(shard, "s1")).isFalse();
        assertThat(JobFiles.receiptOf(shard)).doesNotExist();
        JobFinish.Result result = JobFinish.begin(out).conclude(false);
        assertThat(result.isComplete()).isFalse();
        assertThat(result.missing().first())
                .extracting(JobFinish.Missing::reason)
                .isNotEmpty()
                .allMatch(why -> why.contains("run the shard"));
        try (RunLog next = RunLog.begin(shard)) {
            LongStream.range(0, count)
                    .forEach(i -> next.settled(i, EntryOutcome.FOUND, 1, DigestKind.XXH3_128, new byte[0], null));
            next.confirmed(Set.of(Preserve.TIMES));
            next.end(0, 0);
        }
        assertThat(ShardReceipt.write(shard, "s2")).isTrue();
        assertThat(ShardState.read(shard, count).preserve()).containsOnly(Preserve.TIMES);
        // The entries were not hashed again: the digests are those of the run that moved them.
        assertThat(ShardState.read(shard, count).digest(count - 1)).isEqualTo(digest);
    }

    @Test
    void filesSettledAfterAStopRequestCount() throws IOException {
        Path out = temp.resolve("job");
        plan(tree(), out, 1);
        Path shard = out.resolve("shard-0000");
        long now = System.currentTimeMillis();
        try (RunLog log = RunLog.begin(shard)) {
            assertThat(JobStatus.read(out, now).shards().get(0).state()).isEqualTo(JobStatus.State.RUNNING);
            log.end(143, 5);
            assertThat(JobStatus.read(out, now).shards().get(0).state()).isEqualTo(JobStatus.State.STOPPED);
            log.settled(0, EntryOutcome.IN_PLACE, 1, DigestKind.XXH3_128, new byte[16], null);
            log.confirmed(Set.of(Preserve.TIMES));
        }
        JobStatus.ShardStatus status = JobStatus.read(out, now).shards().get(0);
        assertThat(status.state()).isEqualTo(JobStatus.State.STOPPED);
        assertThat(status.entries().inPlace()).isEqualTo(1);
        assertThat(status.exitCode()).isEqualTo(143);
        assertThat(status.bytes().moved()).isEqualTo(5);
    }

    @Test
    void ignoresLogOfAnotherPlan() throws IOException {
        Path tree = tree();
        Path out = temp.resolve("job");
        plan(tree, out, 1);
        Path shard = out.resolve("shard-0000");
        try (RunLog log = RunLog.begin(shard, new byte[32])) {
            log.settled(0, EntryOutcome.IN_PLACE, 1, DigestKind.XXH3_128, new byte[16], null);
        }
        ShardState state = ShardState.read(shard, 10);
        assertThat(state.runs()).isZero();
        assertThat(state.entriesInPlace()).isZero();
    }
}
