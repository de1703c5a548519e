package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.wire.RunRecord.EntryOutcome;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds what the runs of a job of missing entries copied to the original job, as the log of one more run of each shard.
 * Skips what is already known. Holds some hundred thousand names at a time. For one use and one thread.
 */
final class RetryRuns {
    private static final int MAX_HELD = 300_000;

    private final Job job;
    private final Path directory;
    private final Map<RetriedPath, Found> held = new HashMap<>();
    private final Set<Preserve> preserve = EnumSet.noneOf(Preserve.class);

    /** @param range null for a whole entry */
    private record RetriedPath(RawPath path, @Nullable FileRange range) {
        static RetriedPath of(PlannedEntry planned) {
            return new RetriedPath(planned.entry().path(), planned.entry().range());
        }
    }

    /** @param digest null if it was not hashed */
    private record Found(long bytes, NodeHash hash, byte @Nullable [] digest) {}

    RetryRuns(Job job, Path directory) {
        this.job = job;
        this.directory = directory;
    }

    void addRuns(Path again) {
        for (JobShard part : Job.readFrom(again).shards()) {
            Path file = again.resolve(part.fileName());
            ShardState state = ShardState.read(file, part.entries());
            NodeHash hash = state.hash();
            preserve.addAll(state.preserve());
            Shard.forEach(file, (planned, index) -> {
                if (state.isInPlace(index) && !planned.implied()) {
                    held.put(
                            RetriedPath.of(planned),
                            new Found(
                                    planned.bytes(),
                                    hash == null ? DigestKind.NONE : hash,
                                    hash == null ? null : state.digest(index)));
                }
                if (held.size() >= MAX_HELD) {
                    tell();
                }
            });
        }
        tell();
    }

    private void tell() {
        if (!held.isEmpty()) {
            for (JobShard shard : job.shards()) {
                tell(shard);
            }
            held.clear();
        }
    }

    private void tell(JobShard part) {
        Path file = directory.resolve(part.fileName());
        ShardState state = ShardState.read(file, part.entries());
        if (state.isComplete()) {
            return;
        }
        RunLog log = null;
        try (Shard shard = Shard.open(file)) {
            long index = 0;
            for (PlannedEntry each = shard.next(); each != null; each = shard.next(), index++) {
                Found found = state.isInPlace(index) ? null : held.get(RetriedPath.of(each));
                if (found != null) {
                    log = log == null ? RunLog.begin(file) : log;
                    byte[] digest = found.digest == null ? new byte[0] : found.digest;
                    EntryOutcome outcome = digest.length == 0 ? EntryOutcome.FOUND : EntryOutcome.IN_PLACE;
                    log.settled(index, outcome, found.bytes, found.hash, digest, null);
                }
            }
            if (log != null) {
                log.confirmed(preserve);
                log.end(0, 0);
            }
        } finally {
            if (log != null) {
                log.close();
            }
        }
        ShardReceipt.write(file, job.id());
    }
}
