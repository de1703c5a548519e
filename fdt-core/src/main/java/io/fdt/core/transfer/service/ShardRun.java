package io.fdt.core.transfer.service;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.shard.PlannedEntry;
import io.fdt.core.shard.RunLog;
import io.fdt.core.shard.Shard;
import io.fdt.core.shard.ShardReceipt;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.storage.source.SourceTree;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.transfer.sending.Sources;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of a shard: what the sender is given instead of a walk, and what is written down of it. A source that is no
 * longer what the shard says of it is refused by its name when it is opened. Belongs to the session's thread but for
 * {@link #open} and {@link #stopping}.
 */
final class ShardRun implements Sources, EntryBook {
    private static final int OWNER_ALL = 0700;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Shard shard;
    private final Root root;
    private final SourceTree tree;
    private final DigestKind digest;
    private final Set<Preserve> preserve;
    private final RunLog log;
    /** Offered and not settled: by identity, since a shard may hold equal entries. */
    private final IdentityHashMap<FileEntry, Long> open = new IdentityHashMap<>();

    private long nextIndex;
    private long progressNanos = System.nanoTime();

    /** @throws io.fdt.core.TransferException USAGE for what is no shard, SOURCE when its sources are not there */
    ShardRun(Path file, DigestKind digest, Set<Preserve> preserve, SourceProblems problems) {
        this.digest = digest;
        this.preserve = preserve;
        this.shard = Shard.open(file);
        Root unconfined = Root.unconfined(RawPath.EMPTY);
        try {
            this.tree = new SourceTree(
                    unconfined, new SourceSelection(shard.sources(), null, List.of()), Set.of(), problems);
            this.root = unconfined;
            this.log = RunLog.begin(file);
        } catch (RuntimeException failure) {
            unconfined.close();
            shard.close();
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

    /** Several shards may put something into a directory at the same time; {@code finish} gives it the mode it had. */
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
        return tree.open(entry);
    }

    @Override
    public boolean isSingleFile() {
        return shard.isSingle();
    }

    @Override
    public long zeroDurationNanos() {
        return -1;
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
        log.settled(index, settled, sizeBytes, digest, contentDigest, reason);
    }

    @Override
    public void onTick(TransferFigures figures) {
        long now = System.nanoTime();
        if (now - progressNanos > PROGRESS_NANOS) {
            progressNanos = now;
            log.progress(figures.bytesDone.get(), 0);
        }
    }

    /** The run was asked to end, by whoever may not wait until it does. On any thread. */
    void stopping(FailureKind why, long bytesMoved) {
        try {
            log.end(why.exitCode(), bytesMoved);
        } catch (TransferException unwritable) {
            // The end will be written there too, and then tell of it.
        }
    }

    /**
     * The run has ended: writes down how, and what all runs of the shard know by now.
     *
     * @param finished whether the target has said that everything is durable that it reported
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
        tree.close();
        root.close();
    }

    /** After {@link #finish}, if that came. */
    void closeLog() {
        log.close();
    }
}
