package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.receipt.Receipt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes a job after its runs: {@code shard finish}. It may safely be repeated, or run while shards are still
 * running; then entries are missing. For one thread.
 */
public final class JobFinish {
    private static final int MAX_LISTED = 1000;

    private final Path directory;
    private final Job job;
    /** Files whose ranges have arrived and that neither this nor an earlier finish could assemble. */
    private final Map<RawPath, String> unjoined = new TreeMap<>();

    /**
     * An entry that is not in place.
     *
     * @param path for display, already escaped
     * @param offset of a range of the file; -1 for a whole entry
     * @param reason of the last failure; null if no run has reached it
     */
    public record Missing(
            int shard, String path, long offset, @Nullable String reason) {}

    /**
     * The state of the job.
     *
     * @param digest of everything, of sources and target alike; null if something is missing or was not hashed
     * @param receipt of the job; null if it is not complete
     */
    public record Result(
            Job job,
            InPlace inPlace,
            MissingEntries missing,
            Open open,
            @Nullable String digest,
            @Nullable Path receipt) {
        public boolean isComplete() {
            return receipt != null;
        }
    }

    /** @param unhashedFiles that all runs found in place and did not hash */
    public record InPlace(long entries, long bytes, long unhashedFiles) {}

    /**
     * The entries that are not in place.
     *
     * @param shards that contain them
     */
    public record MissingEntries(long entries, List<Missing> first, List<Integer> shards) {
        public MissingEntries {
            first = List.copyOf(first);
            shards = List.copyOf(shards);
        }
    }

    /**
     * What only the end of the job completes.
     *
     * @param files whose ranges have arrived and that have no names yet
     * @param directories that still have the modes that the runs needed
     */
    public record Open(long files, long directories) {}

    private JobFinish(Path directory, Job job) {
        this.directory = directory;
        this.job = job;
    }

    /** Checks the job's files against their digests, and includes what the jobs of its missing entries have copied. */
    public static JobFinish begin(Path directory) {
        JobFinish finish = new JobFinish(directory, Job.readFrom(directory));
        for (JobShard shard : finish.job.shards()) {
            finish.job.shardFile(directory, shard.number());
        }
        for (Path again : JobFiles.matching(directory, JobFiles.AGAIN_PREFIX + "*")) {
            if (Job.isIn(again)) {
                // Its own missing entries may have become another job.
                begin(again);
                new RetryRuns(finish.job, directory).addRuns(again);
            }
        }
        return finish;
    }

    private interface Visit {
        void entry(JobShard shard, PlannedEntry planned, ShardState state, long index);
    }

    private void forEach(Visit visit) {
        for (JobShard shard : job.shards()) {
            Path file = directory.resolve(shard.fileName());
            ShardState state = ShardState.read(file, shard.entries());
            Shard.forEach(file, (planned, index) -> visit.entry(shard, planned, state, index));
        }
    }

    /**
     * Returns the shard to run when everything else is in place: it assembles files from ranges, and gives directories
     * the modes that runs had to widen. Null if neither is needed, or if something is still missing.
     */
    public @Nullable Last last() {
        Counted counted = job.widened() + job.ranged() == 0 ? null : missing();
        if (counted == null || counted.entries > 0) {
            return null;
        }
        Path file = directory.resolve(JobFiles.DIRECTORIES);
        try (Shard first = Shard.open(directory.resolve(JobFiles.shard(0)));
                ShardWriter writer = new ShardWriter(file, first.header(), new Costs(0))) {
            Ancestors above = new Ancestors();
            Ancestors.Given given = new Ancestors.Given();
            forEach((shard, planned, state, index) -> {
                FileEntry entry = planned.entry();
                above.moveTo(entry.path());
                FileRange range = entry.range();
                if (range != null && range.offset() == 0) {
                    given.addMissing(writer::add, above);
                    writer.add(new PlannedEntry(entry.ranged(range.all()), false));
                } else if (!planned.implied() && Planner.isWidened(entry)) {
                    given.addMissing(writer::add, above);
                    writer.add(planned);
                    given.enter(entry);
                }
                above.enter(entry);
            });
            writer.finish(0);
        }
        // Of several kinds of digests, one is chosen: files with others are then missing, and copied again.
        NodeHash hash = counted.hash;
        return new Last(file, hash == null ? DigestKind.XXH3_128 : hash.digest(), counted.preserve);
    }

    /**
     * The final run.
     *
     * @param digest of the earlier runs: files are assembled by digests of that kind
     * @param preserve of the earlier runs: assembled files preserve the same metadata as whole ones
     */
    public record Last(Path shardFile, DigestKind digest, Set<Preserve> preserve) {
        public Last {
            preserve = Set.copyOf(preserve);
        }
    }

    /** What the final session has settled; nothing if it was not needed or not run. */
    private final class Lasts {
        private long openFiles = job.ranged();
        private boolean complete;

        /** @param files with the digests that runs reported for their ranges */
        void read(RangedFiles files) {
            Path file = directory.resolve(JobFiles.DIRECTORIES);
            if (!Files.exists(file)) {
                return;
            }
            ShardState state = ShardState.read(file, ShardReceipt.count(file));
            complete = state.isComplete();
            Shard.forEach(file, (planned, index) -> {
                if (planned.isJoined() && isJoined(planned.entry(), state, index, files)) {
                    openFiles--;
                }
            });
        }

        private boolean isJoined(FileEntry entry, ShardState state, long index, RangedFiles files) {
            String failure = state.failure(index);
            if (!state.isInPlace(index)) {
                if (failure != null) {
                    unjoined.put(entry.path(), failure);
                }
                return false;
            }
            NodeHash hash = state.hash();
            byte[] target = hash == null ? null : state.digest(index);
            byte[] recorded = files.digest(entry);
            if (hash != null
                    && target != null
                    && recorded != null
                    && !Arrays.equals(hash.digestOf(target), hash.digestOf(recorded))) {
                unjoined.put(entry.path(), "the target does not match the digests of the ranges that runs copied");
                return false;
            }
            return true;
        }
    }

    private static final class Counted {
        private long entries;
        private long inPlace;
        private long bytesInPlace;
        private final List<Missing> listed = new ArrayList<>();
        private final List<Integer> shards = new ArrayList<>();
        private @Nullable NodeHash hash;
        private boolean kindsDiffer;
        private final Set<Preserve> preserve = EnumSet.noneOf(Preserve.class);

        void addHash(@Nullable NodeHash each) {
            if (each != null) {
                NodeHash common = hash == null ? each : hash.common(each);
                kindsDiffer |= common == null;
                hash = common == null ? each : common;
            }
        }

        /** The digest of an entry with the checksums that all have; null if there is none of the common kind. */
        byte @Nullable [] valueOf(ShardState state, long index) {
            NodeHash known = state.hash();
            byte[] value = known == null || hash() == DigestKind.NONE ? null : state.digest(index);
            return value == null || known == null ? null : hash().of(known, value);
        }

        /** What all digests that runs reported contain. */
        private NodeHash hash() {
            return kindsDiffer || hash == null ? DigestKind.NONE : hash;
        }
    }

    private Counted missing() {
        Counted counted = new Counted();
        forEach((shard, planned, state, index) -> {
            counted.addHash(state.hash());
            counted.preserve.addAll(state.preserve());
            if (planned.implied()) {
                return;
            }
            if (state.isInPlace(index)) {
                counted.inPlace++;
                counted.bytesInPlace += planned.bytes();
                return;
            }
            counted.entries++;
            List<Integer> shards = counted.shards;
            if (shards.isEmpty() || shards.get(shards.size() - 1) != shard.number()) {
                shards.add(shard.number());
            }
            if (counted.listed.size() < MAX_LISTED) {
                counted.listed.add(missingOf(shard, planned.entry(), state.failure(index)));
            }
        });
        return counted;
    }

    private static Missing missingOf(JobShard shard, FileEntry entry, @Nullable String reason) {
        FileRange range = entry.range();
        return new Missing(shard.number(), entry.path().display(), range == null ? -1 : range.offset(), reason);
    }

    /**
     * Returns the state of the job; if it is complete, writes its receipt.
     *
     * @param lastFailed whether the final run has failed, so the job is not complete, although an earlier one was
     */
    public Result conclude(boolean lastFailed) {
        Counted counted = missing();
        RangedFiles ranged = new RangedFiles(counted.hash());
        Lasts lasts = new Lasts();
        if (counted.entries == 0 && job.ranged() > 0) {
            forEach((shard, planned, state, index) -> {
                FileRange range = planned.entry().range();
                if (range != null) {
                    ranged.add(planned.entry(), range, counted.valueOf(state, index));
                }
            });
        }
        lasts.read(ranged);
        boolean open = job.widened() > 0 && counted.entries == 0 && !lasts.complete;
        ReceiptEntry written = null;
        Path receipt = null;
        if (counted.entries == 0 && !open && lasts.openFiles == 0 && !lastFailed) {
            written = new ReceiptEntry(counted.hash());
            receipt = writeReceipt(counted, written, ranged);
        }
        list(counted);
        return new Result(
                job,
                new InPlace(counted.inPlace, counted.bytesInPlace, written == null ? 0 : written.unhashed()),
                new MissingEntries(counted.entries, counted.listed, counted.shards),
                new Open(counted.entries == 0 ? lasts.openFiles : 0, open ? job.widened() : 0),
                written == null ? null : written.sum(),
                receipt);
    }

    /** Files that could not be assembled are also missing, once everything else is in place. */
    private void list(Counted counted) {
        if (counted.entries > 0) {
            unjoined.clear();
            return;
        }
        unjoined.forEach((path, reason) -> {
            counted.entries++;
            if (counted.listed.size() < MAX_LISTED) {
                counted.listed.add(new Missing(0, path.display(), -1, reason));
            }
        });
    }

    private Path writeReceipt(Counted counted, ReceiptEntry entry, RangedFiles ranged) {
        Path file = directory.resolve(JobFiles.RECEIPT);
        try (Receipt receipt = new Receipt(file, counted.hash(), job.id())) {
            forEach((shard, planned, state, index) -> {
                FileRange range = planned.entry().range();
                if (range != null && range.offset() == 0) {
                    FileEntry whole = planned.entry().whole();
                    entry.addTo(receipt, whole, ranged.digest(whole));
                } else if (range == null && !planned.implied()) {
                    boolean hashed = planned.entry().kind() == FileEntry.Kind.FILE;
                    entry.addTo(receipt, planned.entry(), hashed ? counted.valueOf(state, index) : null);
                }
            });
            receipt.finish(json -> {
                json.writeStringField("outcome", "ok");
                json.writeNumberField("exit_code", 0);
                json.writeStringField("job", job.id());
                json.writeNumberField("shards", job.shards().size());
                json.writeNumberField("files_in_place", job.files());
                json.writeNumberField("entries_in_place", counted.inPlace);
                json.writeNumberField("bytes", counted.bytesInPlace);
                json.writeNumberField("files_unhashed", entry.unhashed());
                json.writeStringField("digest", entry.sum());
            });
        }
        return file;
    }

    /** All ranges of a file that could not be assembled are checked again, at little cost if they are in place. */
    private boolean isMissing(PlannedEntry planned, ShardState state, long index) {
        FileEntry entry = planned.entry();
        boolean isUnjoined = entry.range() != null && unjoined.containsKey(entry.path());
        return !planned.implied() && (!state.isInPlace(index) || isUnjoined);
    }

    /** Visits the entries that are not in place, each after the directories above it. */
    private void forEachMissing(Consumer<FileEntry> each) {
        Ancestors above = new Ancestors();
        Ancestors.Given given = new Ancestors.Given();
        forEach((shard, planned, state, index) -> {
            FileEntry entry = planned.entry();
            above.moveTo(entry.path());
            if (isMissing(planned, state, index)) {
                given.addMissing(missing -> each.accept(missing.entry()), above);
                each.accept(entry);
                given.enter(entry);
            }
            above.enter(entry);
        });
    }

    /** Creates a job of what is missing, with as many shards as are worthwhile; {@link #begin} includes its runs. */
    public Path again() {
        Path below = directory.resolve(JobFiles.AGAIN_PREFIX
                + (JobFiles.matching(directory, JobFiles.AGAIN_PREFIX + "*").size() + 1));
        try {
            Files.createDirectory(below);
        } catch (IOException e) {
            throw JobFiles.unwritable(below, e);
        }
        long[] cost = {0};
        forEach((shard, planned, state, index) -> {
            if (isMissing(planned, state, index)) {
                cost[0] += planned.bytes() + job.entryCost();
            }
        });
        long mean = Math.max(1, job.cost() / job.shards().size());
        int shards = (int) Math.max(1, Math.min(job.shards().size(), (cost[0] + mean / 2) / mean));
        try (Shard first = Shard.open(directory.resolve(JobFiles.shard(0)))) {
            new Planner(below, shards, new Costs(job.entryCost()), SplitAbove.NEVER)
                    .plan(this::forEachMissing, first.isSingle(), first.sources(), () -> {});
        }
        return below;
    }
}
