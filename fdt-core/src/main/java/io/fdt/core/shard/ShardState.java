package io.fdt.core.shard;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.wire.RunRecord;
import io.fdt.core.wire.RunRecord.EntryOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a shard's entries from all its runs together, in any order: what is in place once stays so, because a
 * final name means a complete file; a failure counts only if no run succeeded. An entry is in place once the target has
 * confirmed that its name is durable; a digest counts earlier. Holds a few bits for each entry, and digests of one
 * window of entries at a time. For one thread.
 */
final class ShardState {
    /** The number of entries whose digests are in memory at the same time. */
    static final int WINDOW = 1 << 18;

    private static final int MAX_REASONS = 10_000;

    private final long entries;
    private final byte[] shardDigest;
    private final List<Path> logs = new ArrayList<>();
    private final BitSet inPlace = new BitSet();
    /** Copied or found by a run, but not confirmed by the target. */
    private final BitSet seen = new BitSet();

    private final BitSet hashed = new BitSet();
    private final BitSet failed = new BitSet();
    private final Map<Long, String> reasons = new TreeMap<>();
    private long bytesInPlace;
    private long bytesMoved;
    private final List<Path> unended = new ArrayList<>();
    private int lastExitCode = -1;
    private long bytesUnderWay;

    private final byte[][] window = new byte[WINDOW][];
    private long windowStart = -1;
    private @Nullable NodeHash hash;
    private boolean kindsDiffer;
    private final Set<Preserve> preserve = EnumSet.noneOf(Preserve.class);

    private ShardState(long entries, byte[] shardDigest) {
        this.entries = entries;
        this.shardDigest = shardDigest;
    }

    /** @param entries in the shard; records about others are ignored */
    static ShardState read(Path shardFile, long entries) {
        if (entries > Integer.MAX_VALUE) {
            throw Cause.USAGE.at(JobFiles.shown(shardFile)).failure("has too many entries; plan more shards");
        }
        ShardState state = new ShardState(entries, Shard.digest(shardFile));
        for (Path log : JobFiles.runsOf(shardFile)) {
            Reading reading = state.new Reading();
            if (RunRecords.read(log, state.shardDigest, reading)) {
                state.logs.add(log);
                state.add(log, reading);
            }
        }
        state.failed.andNot(state.inPlace);
        state.seen.andNot(state.inPlace);
        return state;
    }

    private final class Reading implements Consumer<RunRecord> {
        private final BitSet unconfirmed = new BitSet();
        private long unconfirmedBytes;
        private long bytesDone;
        private long moved;
        private boolean end;

        @Override
        public void accept(RunRecord record) {
            if (record instanceof RunRecord.Entry entry && entry.index() < entries) {
                settle(entry);
            } else if (record instanceof RunRecord.Confirmed confirmed) {
                preserve.addAll(confirmed.preserve());
                inPlace.or(unconfirmed);
                bytesInPlace += unconfirmedBytes;
                unconfirmed.clear();
                unconfirmedBytes = 0;
            } else if (record instanceof RunRecord.Progress progress) {
                bytesDone = progress.bytesDone();
                moved = progress.bytesMoved();
            } else if (record instanceof RunRecord.End ended) {
                end = true;
                moved = ended.bytesMoved();
                lastExitCode = ended.exitCode();
            }
        }

        private void settle(RunRecord.Entry entry) {
            int bit = (int) entry.index();
            if (entry.outcome() == EntryOutcome.FAILED) {
                failed.set(bit);
                if (entry.reason() != null && reasons.size() < MAX_REASONS) {
                    reasons.put(entry.index(), entry.reason());
                }
                return;
            }
            seen.set(bit);
            if (!inPlace.get(bit) && !unconfirmed.get(bit)) {
                unconfirmed.set(bit);
                unconfirmedBytes += entry.bytes();
            }
            if (entry.digest().length > 0) {
                hashed.set(bit);
                NodeHash common = hash == null ? entry.hash() : hash.common(entry.hash());
                kindsDiffer |= common == null;
                hash = common == null ? entry.hash() : common;
            }
        }
    }

    private void add(Path log, Reading reading) {
        bytesMoved += reading.moved;
        if (!reading.end) {
            unended.add(log);
        }
        bytesUnderWay = Math.max(bytesUnderWay, reading.bytesDone);
    }

    boolean isInPlace(long index) {
        return inPlace.get((int) index);
    }

    /** Whether any run reported a digest of it. */
    boolean isHashed(long index) {
        return hashed.get((int) index);
    }

    /** Why an entry is not in place, if a run failed with it; null if no run has reached it. */
    @Nullable String failure(long index) {
        if (failed.get((int) index)) {
            return reasons.getOrDefault(index, "failed");
        }
        return seen.get((int) index)
                ? "copied, but the session ended before its name was durable; run the shard again"
                : null;
    }

    long entriesInPlace() {
        return inPlace.cardinality();
    }

    long entriesFailed() {
        return failed.cardinality();
    }

    boolean isComplete() {
        return entriesInPlace() == entries;
    }

    long bytesInPlace() {
        return bytesInPlace;
    }

    /** The bytes in place or durable at the target, from the run that has most. */
    long bytesDone() {
        return Math.max(bytesInPlace, bytesUnderWay);
    }

    long bytesMoved() {
        return bytesMoved;
    }

    int runs() {
        return logs.size();
    }

    /** The logs of runs that have not ended: they were killed, or continue. */
    List<Path> unendedLogs() {
        return unended;
    }

    /** The exit code of one of the runs; -1 if none ended. */
    int exitCode() {
        return lastExitCode;
    }

    /** What all digests contain; null if there are none, or of several kinds. */
    @Nullable NodeHash hash() {
        return kindsDiffer ? null : hash;
    }

    /** The metadata that any run preserved. */
    Set<Preserve> preserve() {
        return preserve;
    }

    /**
     * The digest that a run reported for an entry, with the checksums of {@link #hash}; null if none did. Cheap if
     * called in order.
     */
    byte @Nullable [] digest(long index) {
        if (windowStart < 0 || index < windowStart || index >= windowStart + WINDOW) {
            windowStart = index - index % WINDOW;
            readWindow();
        }
        return window[(int) (index - windowStart)];
    }

    private void readWindow() {
        Arrays.fill(window, null);
        for (Path log : logs) {
            RunRecords.read(log, shardDigest, record -> {
                if (record instanceof RunRecord.Entry entry && entry.digest().length > 0) {
                    see(entry, entry.index() - windowStart);
                }
            });
        }
    }

    private void see(RunRecord.Entry entry, long at) {
        // A digest of both sides takes precedence over that of one.
        if (at >= 0 && at < WINDOW && (entry.outcome() == EntryOutcome.IN_PLACE || window[(int) at] == null)) {
            NodeHash common = hash();
            window[(int) at] = common == null ? entry.digest() : common.of(entry.hash(), entry.digest());
        }
    }
}
