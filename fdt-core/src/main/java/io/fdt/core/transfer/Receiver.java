package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.transfer.Flusher.Written;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of a session: decides what is wanted of each page, completes files, acknowledges what is durable, and
 * finishes. The bytes themselves are the business of its {@link ReceiverLane}s, their durability that of the
 * {@link Flusher}. Belongs to the session's thread but for what lanes and the flusher call.
 */
final class Receiver implements SessionHandler {
    /** Twice what a sender keeps open, so that an honest one never meets it. */
    private static final int MAX_OPEN_ENTRIES = 65_536;

    private final Session session;
    private final Targets targets;
    private final Ledger ledger;
    private final TransferFigures figures;
    private final DigestKind digest;
    private final LaneWatch lanes;
    private final LimitGate limits;
    private final boolean dryRun;
    private final Flusher flusher;
    private final TreeSum treeSum;
    private final Map<Integer, ReceiverFile> files = new ConcurrentHashMap<>();
    private final Map<Integer, Comparison> comparisons = new ConcurrentHashMap<>();
    private final AtomicInteger laneKeys = new AtomicInteger();
    private final Map<Integer, ReceiverLane> receiving = new HashMap<>();
    private final LaneSpread spread;
    private boolean senderRetiresLanes;
    private final long busyNanos;
    private long busySaidNanos;

    private int nextId;
    private TransferMessage.@Nullable Finish finish;
    private TransferMessage.@Nullable Finished finished;

    Receiver(
            Session session,
            Targets targets,
            Ledger ledger,
            TransferFigures figures,
            DigestKind digest,
            Durability durability,
            boolean dryRun,
            LaneWatch lanes,
            LimitGate limits,
            SpreadWatch watch,
            long laneTimeoutMs) {
        this.session = session;
        this.targets = targets;
        this.ledger = ledger;
        this.figures = figures;
        this.digest = digest;
        this.dryRun = dryRun;
        this.lanes = lanes;
        this.limits = limits;
        this.busyNanos = TimeUnit.MILLISECONDS.toNanos(laneTimeoutMs) / 8;
        this.busySaidNanos = session.clock().nanoTime();
        this.spread = new LaneSpread(session, watch, Counter.RECEIVED_BYTES, this::warn);
        this.treeSum = new TreeSum(digest);
        this.flusher = new Flusher(
                session.name(), durability, targets::flushFileSystem, session.counters(), new Flusher.Listener() {
                    @Override
                    public void onDurable(List<Written> chunks, List<ReceiverFile> published) {
                        session.execute(() -> Receiver.this.onDurable(chunks, published));
                    }

                    @Override
                    public void onFailed(ReceiverFile file, TransferException why) {
                        session.execute(() -> onFileFailed(file, why));
                    }
                });
        session.activity()
                .begin(new SessionActivity.Work(
                        SessionActivity.Service.COPY, SessionActivity.Direction.IN, digest.label(), figures, () -> 0));
    }

    @Override
    public boolean work() {
        return false;
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (message instanceof TransferMessage.ManifestPage page) {
            onPage(page);
        } else if (message instanceof TransferMessage.SourceShape shape) {
            targets.open(shape.singleFile());
            senderRetiresLanes = shape.retiresLanes();
        } else if (message instanceof TransferMessage.SourceFailed failed) {
            onSourceFailed(failed);
        } else if (message instanceof TransferMessage.StreamEnded ended) {
            onStreamEnded(ended);
        } else if (message instanceof SessionMessage.Warning warning) {
            ledger.warn(warning.message());
        } else if (message instanceof TransferMessage.Finish end) {
            onFinish(end);
        } else if (message instanceof SessionMessage.Failed failed) {
            throw new TransferException(FailureKind.ofExitCode(failed.exitCode()), failed.message());
        } else {
            throw new TransferException(
                    FailureKind.VERSION, session.peer() + " sent a message that a sender does not send");
        }
    }

    private void onPage(TransferMessage.ManifestPage page) {
        if (page.firstId() != nextId) {
            throw new TransferException(FailureKind.VERSION, session.peer() + " sent its manifest out of order");
        }
        if (files.size() + comparisons.size() > MAX_OPEN_ENTRIES
                || nextId > Integer.MAX_VALUE - Bounds.MAX_PAGE_ENTRIES) {
            throw new TransferException(
                    FailureKind.LIMIT, session.peer() + " offers more than " + MAX_OPEN_ENTRIES + " files at once");
        }
        List<Verdict> exceptions = new ArrayList<>();
        for (FileEntry entry : page.entries()) {
            Verdict verdict = prepare(nextId, entry);
            if (verdict != null) {
                exceptions.add(verdict);
            }
            nextId++;
        }
        session.send(new TransferMessage.Verdicts(page.firstId(), page.entries().size(), exceptions));
    }

    /** Null where the entry is wanted whole, or made. */
    private @Nullable Verdict prepare(int id, FileEntry entry) {
        limits.countEntry();
        ledger.found(entry);
        Targets.Prepared prepared;
        try {
            limits.requirePath(entry);
            prepared = targets.prepare(entry);
        } catch (TransferException failure) {
            ledger.failed(entry, failure.kind(), String.valueOf(failure.getMessage()));
            return failed(id, failure);
        }
        return switch (prepared.decision()) {
            case MADE -> {
                treeSum.add(entry, new byte[0]);
                ledger.made(entry);
                yield null;
            }
            case SKIPPED -> {
                ledger.skipped(entry);
                treeSum.addUnknown();
                yield verdict(id, VerdictKind.SKIPPED);
            }
            case WOULD_COPY -> {
                ledger.wouldCopy(entry);
                yield verdict(id, VerdictKind.WOULD_COPY);
            }
            case COMPARE -> compare(id, entry, prepared);
            case WANTED -> want(id, entry, prepared);
        };
    }

    private Verdict compare(int id, FileEntry entry, Targets.Prepared prepared) {
        SourceFile existing = prepared.existing();
        if (existing == null) {
            throw new IllegalStateException("nothing is there to compare");
        }
        Comparison comparison = new Comparison(id, entry, existing, digest);
        if (entry.sizeBytes() == 0) {
            comparison.close();
            return keep(comparison);
        }
        comparisons.put(id, comparison);
        return verdict(id, VerdictKind.COMPARE);
    }

    private Verdict keep(Comparison comparison) {
        try {
            targets.keep(comparison.entry);
        } catch (TransferException failure) {
            ledger.failed(comparison.entry, failure.kind(), String.valueOf(failure.getMessage()));
            return failed(comparison.id, failure);
        }
        ledger.skipped(comparison.entry);
        treeSum.add(comparison.entry, comparison.digest());
        return verdict(comparison.id, VerdictKind.SKIPPED);
    }

    /** A comparison is decided. A lane's thread. */
    void reportCompared(Comparison comparison, Comparison.Finding finding) {
        if (finding != Comparison.Finding.OPEN) {
            session.execute(() -> onCompared(comparison, finding == Comparison.Finding.SAME));
        }
    }

    private void onCompared(Comparison comparison, boolean same) {
        if (comparisons.remove(comparison.id) == null) {
            return;
        }
        comparison.close();
        Verdict verdict = same ? keep(comparison) : wantDifferent(comparison);
        session.send(new TransferMessage.Verdicts(comparison.id, 1, verdict == null ? List.of() : List.of(verdict)));
    }

    private @Nullable Verdict wantDifferent(Comparison comparison) {
        try {
            return want(comparison.id, comparison.entry, targets.prepareDifferent(comparison.entry));
        } catch (TransferException failure) {
            ledger.failed(comparison.entry, failure.kind(), String.valueOf(failure.getMessage()));
            return failed(comparison.id, failure);
        }
    }

    /** For lanes; null when nobody compares the file any more. */
    @Nullable Comparison comparison(int id) {
        return comparisons.get(id);
    }

    private @Nullable Verdict want(int id, FileEntry entry, Targets.Prepared prepared) {
        ReceiverFile file = new ReceiverFile(id, entry, prepared.file(), digest, prepared.durable());
        files.put(id, file);
        if (file.claimCompletion()) {
            // Empty, or all of it was durable when an earlier session ended.
            complete(file, new Written(file, 0, 0, null, true));
        }
        if (!file.isResumed()) {
            return null;
        }
        ledger.resumed(file.coveredBytes());
        List<Range> missing = file.missing();
        if (missing.size() > Bounds.MAX_LIST / 4) {
            missing = List.of(new Range(
                    missing.get(0).offset(), entry.sizeBytes() - missing.get(0).offset()));
        }
        return new Verdict(id, VerdictKind.PART, missing, 0, "");
    }

    private static Verdict verdict(int id, VerdictKind kind) {
        return new Verdict(id, kind, List.of(), 0, "");
    }

    private static Verdict failed(int id, TransferException why) {
        return new Verdict(id, VerdictKind.FAILED, List.of(), why.kind().exitCode(), String.valueOf(why.getMessage()));
    }

    private void onSourceFailed(TransferMessage.SourceFailed failed) {
        FailureKind kind = FailureKind.ofExitCode(failed.exitCode());
        Comparison comparison = comparisons.remove(failed.fileId());
        if (comparison != null) {
            comparison.close();
        }
        ReceiverFile file = files.remove(failed.fileId());
        if (file != null && file.giveUp()) {
            // What there is of it mixes two states of the source: nothing to resume from.
            flusher.drop(file, false);
        }
        if (file == null) {
            ledger.failed(failed.path(), 0, kind, failed.reason());
        } else {
            ledger.failed(file.entry, kind, failed.reason());
        }
    }

    private void onStreamEnded(TransferMessage.StreamEnded ended) {
        ReceiverFile file = files.get(ended.fileId());
        if (file == null) {
            return;
        }
        if (!file.endStream(ended.sizeBytes())) {
            throw new TransferException(
                    FailureKind.VERSION, session.peer() + " ends a stream where none can end: " + file.entry.path());
        }
        if (file.claimCompletion()) {
            complete(file, new Written(file, 0, 0, null, true));
        }
    }

    /** For lanes; null when nobody waits for the file. */
    @Nullable ReceiverFile file(int id) {
        return files.get(id);
    }

    /** A chunk comes. A lane's thread. */
    void countBytes(int lengthBytes) {
        limits.countBytes(lengthBytes);
    }

    /** A chunk has been written and verified. A lane's thread. */
    void onChunkWritten(ReceiverFile file, ActiveChunk chunk, byte[] chunkDigest) {
        boolean completes = file.claimCompletion();
        Written written = new Written(file, chunk.offset, chunk.lengthBytes, chunkDigest, completes);
        if (completes) {
            complete(file, written);
        } else {
            flusher.add(written);
        }
    }

    private void complete(ReceiverFile file, Written last) {
        try {
            file.target.seal();
        } catch (TransferException failure) {
            session.execute(() -> onFileFailed(file, failure));
            return;
        }
        flusher.add(last);
    }

    /** A chunk did not verify. A lane's thread. */
    void reportDamaged(ReceiverFile file, ActiveChunk chunk) {
        session.send(new TransferMessage.SendAgain(file.id, chunk.offset, chunk.attempt));
    }

    /** The session cannot go on. Any thread. */
    void reportFailure(TransferException why) {
        session.interrupt(why);
    }

    private void onDurable(List<Written> chunks, List<ReceiverFile> published) {
        acknowledge(chunks);
        int[] ids = new int[published.size()];
        byte[] digests = new byte[ids.length * digest.lengthBytes()];
        for (int i = 0; i < ids.length; i++) {
            ReceiverFile file = published.get(i);
            ids[i] = file.id;
            files.remove(file.id);
            byte[] fileDigest = file.digest();
            System.arraycopy(fileDigest, 0, digests, i * digest.lengthBytes(), digest.lengthBytes());
            treeSum.add(file.entry, fileDigest);
            ledger.done(file.entry, file.sizeBytes(), file.isResumed(), fileDigest);
        }
        if (ids.length > 0) {
            session.send(new TransferMessage.FilesDone(ids, digests));
        }
    }

    private void acknowledge(List<Written> chunks) {
        int count = 0;
        int[] ids = new int[chunks.size()];
        long[] offsets = new long[chunks.size()];
        for (Written written : chunks) {
            if (written.digest() != null) {
                ids[count] = written.file().id;
                offsets[count++] = written.offset();
                ledger.acknowledged(written.lengthBytes());
            }
        }
        if (count > 0) {
            session.send(new TransferMessage.Acknowledged(Arrays.copyOf(ids, count), Arrays.copyOf(offsets, count)));
        }
    }

    private void onFileFailed(ReceiverFile file, TransferException why) {
        file.giveUp();
        if (files.remove(file.id) == null) {
            return;
        }
        flusher.drop(file, true);
        ledger.failed(file.entry, why.kind(), String.valueOf(why.getMessage()));
        session.send(new TransferMessage.FileFailed(file.id, why.kind().exitCode(), String.valueOf(why.getMessage())));
        if (targets.isFull(why)) {
            throw why;
        }
    }

    private void onFinish(TransferMessage.Finish end) {
        if (!files.isEmpty() || !comparisons.isEmpty()) {
            throw new TransferException(
                    FailureKind.VERSION, session.peer() + " finished before its files were settled");
        }
        finish = end;
        figures.totalsFinal = true;
        figures.bytesResent.set(end.bytesResent());
        flusher.close();
        targets.finish();
        Bottleneck.Share share = Bottleneck.ofReceiver(session.counters());
        finished = new TransferMessage.Finished(
                figures.filesDone.get(),
                figures.bytesInPlace.get(),
                figures.bytesResumed.get(),
                figures.filesSkipped.get(),
                figures.filesFailed.get(),
                treeSum.print(),
                share.limit(),
                share.percent());
        session.send(finished);
    }

    /** What the sender said at the end; null before. */
    TransferMessage.@Nullable Finish finish() {
        return finish;
    }

    /** What the receiver answered; null before. */
    TransferMessage.@Nullable Finished finished() {
        return finished;
    }

    @Override
    public LaneHandler onLane(int index, int attempt, Lane lane) {
        int key = laneKeys.getAndIncrement();
        ReceiverLane handler = new ReceiverLane(this, lane, index, key, session, new TreeDigest(digest));
        session.execute(() -> {
            lanes.onJoined(key, lane);
            spread.onJoined(index, lane);
            receiving.put(key, handler);
        });
        return handler;
    }

    void reportLaneClosed(int index, int key, Lane lane, @Nullable TransferException cause) {
        session.execute(() -> {
            receiving.remove(key);
            spread.onClosed(index, lane);
            lanes.onClosed(index, key, cause);
        });
    }

    @Override
    public void onTick() {
        lanes.check(!dryRun && !(files.isEmpty() && comparisons.isEmpty()));
        sayWhoIsBusy();
        sayWhoBunches();
    }

    /** How packets come in, the network decides; a lane that is dialled again comes by another port, and so another way perhaps. */
    private void sayWhoBunches() {
        if (senderRetiresLanes && finish == null) {
            List<Integer> bunching = spread.lanesToReplace();
            if (!bunching.isEmpty()) {
                session.send(new TransferMessage.RetireLanes(
                        bunching.stream().mapToInt(Integer::intValue).toArray()));
            }
        }
    }

    /** On both sides. */
    private void warn(String message) {
        session.send(new SessionMessage.Warning(message));
        ledger.warn(message);
    }

    /** A disk that takes its time is no lane that stalls. */
    private void sayWhoIsBusy() {
        long now = session.clock().nanoTime();
        if (now - busySaidNanos < busyNanos) {
            return;
        }
        boolean flushing = flusher.isBusyFor(busyNanos);
        int[] busy = receiving.values().stream()
                .filter(lane -> flushing || lane.isBusyFor(busyNanos))
                .mapToInt(ReceiverLane::index)
                .toArray();
        if (busy.length > 0) {
            busySaidNanos = now;
            session.send(new TransferMessage.LanesBusy(busy));
        }
    }

    @Override
    public boolean isDone() {
        return finished != null;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        if (finished == null) {
            throw cause != null
                    ? cause
                    : new TransferException(
                            FailureKind.CONNECTION_LOST, session.peer() + " closed the connection before the end");
        }
    }

    /** Leaves everything that is not complete in a state to resume from. */
    void close(@Nullable TransferException cause) {
        lanes.closeAll(cause);
        flusher.close();
        for (ReceiverFile file : files.values()) {
            file.giveUp();
            file.end(true);
        }
        files.clear();
        comparisons.values().forEach(Comparison::close);
        comparisons.clear();
        targets.close();
    }
}
