package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.receipt.Receipt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts a job together after its runs: {@code shard finish}. Nothing it does is lost or wrong when it is done twice, or while shards
 * are still run; then something is missing. One thread.
 */
public final class JobFinish {
    private static final int MAX_LISTED = 1000;

    private final Path directory;
    private final Job job;

    /**
     * An entry that is not in place.
     *
     * @param path for people, already escaped
     * @param reason of the last failure; null where no run came so far
     */
    public record Missing(int shard, String path, @Nullable String reason) {}

    /**
     * How the job stands.
     *
     * @param missing the first of them; {@code missingEntries} counts all
     * @param openDirectories that still have the modes that the runs needed
     * @param unhashedFiles that every run found in place, so that nobody hashed them
     * @param digest over everything, of sources and target alike; null where something is missing or was not hashed
     * @param receipt of the job; null where something is missing
     */
    public record Result(
            Job job,
            long entriesInPlace,
            long bytesInPlace,
            long missingEntries,
            List<Missing> missing,
            List<Integer> shards,
            long openDirectories,
            long unhashedFiles,
            @Nullable String digest,
            @Nullable Path receipt) {
        public Result {
            missing = List.copyOf(missing);
            shards = List.copyOf(shards);
        }

        public boolean isComplete() {
            return missingEntries == 0 && openDirectories == 0;
        }
    }

    private JobFinish(Path directory, Job job) {
        this.directory = directory;
        this.job = job;
    }

    /** Checks the job's files against their digests, and takes in what jobs made of its missing entries have moved. */
    public static JobFinish begin(Path directory) {
        JobFinish finish = new JobFinish(directory, Job.readFrom(directory));
        for (JobShard shard : finish.job.shards()) {
            finish.job.shardFile(directory, shard.number());
        }
        for (Path again : JobFiles.matching(directory, JobFiles.AGAIN_PREFIX + "*")) {
            if (Job.isIn(again)) {
                // What is missing of that one may have been made a job in turn.
                begin(again);
                new AgainRuns(finish.job, directory).takeIn(again);
            }
        }
        return finish;
    }

    private interface Visit {
        void entry(JobShard shard, PlannedEntry planned, ShardState state, long index);
    }

    /** Shows every entry, with what is known of it. */
    private void forEach(Visit visit) {
        for (JobShard shard : job.shards()) {
            Path file = directory.resolve(shard.fileName());
            ShardState state = ShardState.read(file, shard.entries());
            try (Shard open = Shard.open(file)) {
                long index = 0;
                for (PlannedEntry each = open.next(); each != null; each = open.next()) {
                    visit.entry(shard, each, state, index++);
                }
            }
        }
    }

    /**
     * A shard that gives directories the modes that runs had to widen, to be run when everything is in them; null where
     * there is none, or where something is still missing.
     */
    public @Nullable Path directories() {
        if (job.widened() == 0 || missing().entries > 0) {
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
                if (!planned.implied() && Planner.isWidened(entry)) {
                    given.addMissing(writer, above);
                    writer.add(planned);
                    given.enter(entry);
                }
                above.enter(entry);
            });
            writer.finish(0);
        }
        return file;
    }

    private boolean areDirectoriesDone() {
        Path file = directory.resolve(JobFiles.DIRECTORIES);
        return Files.exists(file)
                && ShardState.read(file, ShardReceipt.count(file)).isComplete();
    }

    private static final class Counted {
        private long entries;
        private long inPlace;
        private long bytesInPlace;
        private final List<Missing> listed = new ArrayList<>();
        private final List<Integer> shards = new ArrayList<>();
        private @Nullable DigestKind kind;
        private boolean kindsDiffer;
    }

    private Counted missing() {
        Counted counted = new Counted();
        forEach((shard, planned, state, index) -> {
            DigestKind kind = state.digestKind();
            if (kind != null) {
                counted.kindsDiffer |= counted.kind != null && counted.kind != kind;
                counted.kind = kind;
            }
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
                counted.listed.add(
                        new Missing(shard.number(), planned.entry().path().display(), state.failure(index)));
            }
        });
        return counted;
    }

    /** Says how the job stands; if it is complete, writes its receipt. */
    public Result conclude() {
        Counted counted = missing();
        boolean open = job.widened() > 0 && counted.entries == 0 && !areDirectoriesDone();
        ReceiptEntry written = null;
        Path receipt = null;
        if (counted.entries == 0 && !open) {
            DigestKind kind = counted.kindsDiffer || counted.kind == null ? DigestKind.NONE : counted.kind;
            written = new ReceiptEntry(kind);
            receipt = writeReceipt(counted, written, kind);
        }
        return new Result(
                job,
                counted.inPlace,
                counted.bytesInPlace,
                counted.entries,
                counted.listed,
                counted.shards,
                open ? job.widened() : 0,
                written == null ? 0 : written.unhashed(),
                written == null ? null : written.sum(),
                receipt);
    }

    private Path writeReceipt(Counted counted, ReceiptEntry entry, DigestKind kind) {
        Path file = directory.resolve(JobFiles.RECEIPT);
        try (Receipt receipt = new Receipt(file, ShardReceipt.partialSuffix(), kind, job.id())) {
            forEach((shard, planned, state, index) -> {
                if (!planned.implied()) {
                    entry.addTo(receipt, planned, state, index);
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

    /**
     * Makes a job of what is missing, in a directory below, with as many shards as are worth it. {@link #begin} takes in what its runs
     * move.
     */
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
            if (!planned.implied() && !state.isInPlace(index)) {
                cost[0] += planned.bytes() + job.entryCost();
            }
        });
        long mean = Math.max(1, job.cost() / job.shards().size());
        int shards = (int) Math.max(1, Math.min(job.shards().size(), (cost[0] + mean / 2) / mean));
        try (Shard first = Shard.open(directory.resolve(JobFiles.shard(0)));
                MissingWalk walk = new MissingWalk(directory, job)) {
            List<RawPath> sources = first.sources();
            new Planner(below, shards, new Costs(job.entryCost())).plan(walk, first.isSingle(), sources);
        }
        return below;
    }
}
