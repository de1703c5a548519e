package io.fdt.core.transfer.service;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.shard.PlannedEntry;
import io.fdt.core.shard.RunLog;
import io.fdt.core.shard.Shard;
import io.fdt.core.shard.ShardReceipt;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.storage.source.WholeFiles;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.transfer.sending.SenderSources;
import io.fdt.core.transfer.sending.SenderSources.Problems;
import io.fdt.core.verify.CopiedFiles;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of a shard: the sender's sources in place of a walk, and the log of the run. A source that no longer matches
 * the shard is refused when it is opened. For the session's thread, except for {@link #open} and {@link #stopping}.
 */
final class ShardRun implements Sources, EntryBook {
    private static final int OWNER_ALL = 0700;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Shard shard;
    private final Sources trees;
    private final DigestKind digest;
    private final Set<Preserve> preserve;
    private final RunLog log;
    /** Offered and not settled: by identity, because a shard may contain equal entries. */
    private final IdentityHashMap<FileEntry, Long> open = new IdentityHashMap<>();

    /** Files that were in place, and that this run did not hash. */
    private final BitSet found = new BitSet();

    private long nextIndex;
    private long progressNanos = System.nanoTime();

    /** @throws io.fdt.core.TransferException USAGE if it is not a shard, SOURCE if its sources do not exist */
    ShardRun(Path file, DigestKind digest, Set<Preserve> preserve, Problems problems) {
        this.digest = digest;
        this.preserve = preserve;
        this.shard = Shard.open(file);
        try {
            this.trees = SenderSources.known(shard.sources(), problems);
        } catch (RuntimeException failure) {
            shard.close();
            throw failure;
        }
        try {
            this.log = RunLog.begin(file);
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    String shownName() {
        return shard.shownName();
    }

    @Override
    public @Nullable FileEntry next() {
        PlannedEntry planned = shard.next();
        if (planned == null) {
            return null;
        }
        FileEntry entry = shard.givesModes() ? planned.entry() : forRun(planned.entry());
        open.put(entry, nextIndex++);
        return entry;
    }

    /** Several shards may create entries in a directory at the same time; {@code finish} restores its mode. */
    private static FileEntry forRun(FileEntry entry) {
        if (entry.kind() != FileEntry.Kind.DIRECTORY) {
            return entry;
        }
        return new FileEntry(
                entry.path(),
                entry.kind(),
                entry.sizeBytes(),
                entry.mode() | OWNER_ALL,
                entry.modifiedSeconds(),
                entry.modifiedNanos(),
                entry.uid(),
                entry.gid(),
                entry.sparse(),
                entry.linkTarget(),
                entry.attributes());
    }

    @Override
    public SourceFile open(FileEntry entry) {
        return trees.open(entry);
    }

    @Override
    public boolean readsWholeFiles() {
        return trees.readsWholeFiles();
    }

    @Override
    public int read(WholeFiles small) {
        return trees.read(small);
    }

    @Override
    public boolean isSingleFile() {
        return shard.isSingle();
    }

    @Override
    public void settled(
            FileEntry entry, long sizeBytes, byte[] contentDigest, FileOutcome outcome, @Nullable String reason) {
        Long index = open.remove(entry);
        if (index == null) {
            return;
        }
        RunLog.Outcome settled = switch (outcome) {
            case COPIED, RESUMED -> RunLog.Outcome.IN_PLACE;
            case SKIPPED -> RunLog.Outcome.FOUND;
            case FAILED, WOULD_COPY, WOULD_REPLACE, DELETED, WOULD_DELETE -> RunLog.Outcome.FAILED;
        };
        boolean file = entry.kind() == FileEntry.Kind.FILE && entry.range() == null;
        if (settled == RunLog.Outcome.FOUND && file && contentDigest.length == 0 && digest != DigestKind.NONE) {
            found.set(index.intValue());
        }
        log.settled(index, settled, sizeBytes, digest, contentDigest, reason);
    }

    boolean hasUnhashed() {
        return !found.isEmpty();
    }

    /** Opens the same sources again; the sender closes them. */
    Sources again() {
        return SenderSources.known(shard.sources(), new Problems());
    }

    /** Hashes the sources that were in place and that no run of the shard has hashed. */
    void hash(Sources sources, Ledger ledger) throws InterruptedException {
        CopiedFiles files = new CopiedFiles();
        Map<RawPath, Long> indices = new HashMap<>();
        ShardReceipt.forEachUnhashed(shard.file(), found, (index, entry) -> {
            files.add(entry);
            indices.put(entry.path(), index);
        });
        files.hash(sources::open, digest, checked -> {
            if (checked.failure() == null) {
                FileEntry entry = Objects.requireNonNull(checked.entry());
                long index = Objects.requireNonNull(indices.get(checked.path()));
                log.settled(index, RunLog.Outcome.FOUND, entry.sizeBytes(), digest, checked.digest(), null);
            } else {
                ledger.unhashed(checked, "receipt");
            }
        });
    }

    @Override
    public void onTick(TransferFigures figures) {
        long now = System.nanoTime();
        if (now - progressNanos > PROGRESS_NANOS) {
            progressNanos = now;
            log.progress(figures.bytesDone.get(), 0);
        }
    }

    /** The run was asked to end, and the caller may not wait for the end. Thread-safe. */
    void stopping(FailureKind why, long bytesMoved) {
        try {
            log.end(why.exitCode(), bytesMoved);
        } catch (TransferException unwritable) {
            // The end is also written there, and then reports the failure.
        }
    }

    /**
     * The run has ended: records the result, and what all runs of the shard know by now.
     *
     * @param finished whether the target has sent that everything it reported is durable
     */
    void finish(Summary summary, boolean finished) {
        if (finished) {
            log.confirmed(preserve);
        }
        log.end(summary.exitCode(), summary.bytesSent());
        ShardReceipt.write(shard.file(), summary.session());
    }

    @Override
    public void close() {
        shard.close();
        trees.close();
    }

    /** After {@link #finish}, if it was called. */
    void closeLog() {
        log.close();
    }
}
