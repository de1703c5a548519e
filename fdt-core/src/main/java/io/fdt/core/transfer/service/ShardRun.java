package io.fdt.core.transfer.service;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.shard.RunLog;
import io.fdt.core.shard.ShardReceipt;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.verify.CopiedFiles;
import io.fdt.core.wire.RunRecord.EntryOutcome;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The log of one run of a shard. For the session's thread, except for {@link #stopping}. */
final class ShardRun implements EntryBook, AutoCloseable {
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Path shardFile;
    private NodeHash hash;
    private final Set<Preserve> preserve;
    private final RunLog log;
    /** Offered and not settled: by identity, because a shard may contain equal entries. */
    private final IdentityHashMap<FileEntry, Long> open = new IdentityHashMap<>();

    /** Files that were in place, and that this run did not hash. */
    private final BitSet inPlace = new BitSet();

    private long nextIndex;
    private long progressNanos = System.nanoTime();

    ShardRun(Path shardFile, NodeHash hash, Set<Preserve> preserve) {
        this.shardFile = shardFile;
        this.hash = hash;
        this.preserve = preserve;
        this.log = RunLog.begin(shardFile);
        hashesWith(hash);
    }

    /** Called before the first entry. Without a digest, nothing is recorded of a file's content. */
    void hashesWith(NodeHash ofSession) {
        hash = ofSession.digest() == DigestKind.NONE ? DigestKind.NONE : ofSession;
    }

    /** Entries are offered in the order of the shard. */
    @Override
    public void found(FileEntry entry) {
        open.put(entry, nextIndex++);
    }

    @Override
    public void settled(FileEntry entry, long sizeBytes, byte[] value, FileOutcome outcome, @Nullable Failure why) {
        Long index = open.remove(entry);
        if (index == null) {
            return;
        }
        EntryOutcome settled = switch (outcome) {
            case COPIED, RESUMED -> EntryOutcome.IN_PLACE;
            case SKIPPED -> EntryOutcome.FOUND;
            case FAILED, WOULD_COPY, WOULD_REPLACE, DELETED, WOULD_DELETE -> EntryOutcome.FAILED;
        };
        boolean file = entry.kind() == FileEntry.Kind.FILE && entry.range() == null;
        if (settled == EntryOutcome.FOUND && file && value.length == 0 && hash != DigestKind.NONE) {
            inPlace.set(index.intValue());
        }
        // Without its checksums, a value is no longer than the digest.
        NodeHash known = value.length < hash.lengthBytes() ? hash.digest() : hash;
        byte[] logged = Arrays.copyOf(value, Math.min(value.length, known.lengthBytes()));
        log.settled(index, settled, sizeBytes, known, logged, why);
    }

    boolean hasUnhashed() {
        return !inPlace.isEmpty();
    }

    /** Hashes the sources that were in place and that no run of the shard has hashed. */
    void hash(Sources sources, Ledger ledger) throws InterruptedException {
        CopiedFiles files = new CopiedFiles();
        Map<RawPath, Long> indices = new HashMap<>();
        ShardReceipt.forEachUnhashed(shardFile, inPlace, (entry, index) -> {
            files.add(entry);
            indices.put(entry.path(), index);
        });
        files.hash(sources::open, hash, checked -> {
            if (checked.failure() == null) {
                FileEntry entry = Objects.requireNonNull(checked.entry());
                long index = Objects.requireNonNull(indices.get(checked.path()));
                log.settled(index, EntryOutcome.FOUND, entry.sizeBytes(), hash, checked.digest(), null);
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
    void stopping(int exitCode, long bytesMoved) {
        try {
            log.end(exitCode, bytesMoved);
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
        log.end(summary.exitCode(), summary.bytes().moved().sent());
        ShardReceipt.write(shardFile, summary.run().session());
    }

    /** After {@link #finish}, if it was called. */
    @Override
    public void close() {
        log.close();
    }
}
