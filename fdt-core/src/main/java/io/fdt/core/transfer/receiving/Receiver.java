package io.fdt.core.transfer.receiving;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.transfer.CopySide;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.receiving.Flusher.Written;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of a session: decides what is needed of each page, completes files, acknowledges what is durable,
 * and finishes. Its {@link ReceiverLane}s receive the data, and the {@link Flusher} makes it durable. For the session's
 * thread, except for calls of lanes and the flusher.
 */
public final class Receiver extends CopySide {
    private static final Set<Class<?>> TAKEN = Set.of(
            TransferMessage.ManifestPage.class,
            TransferMessage.SourceShape.class,
            TransferMessage.SourceFailed.class,
            TransferMessage.StreamEnded.class,
            TransferMessage.LanesWanted.class,
            TransferMessage.RetireLanes.class,
            TransferMessage.Finish.class,
            SessionMessage.Warning.class);

    /** How often the sender, and who looks at this side, learn what has arrived. */
    private static final long COUNT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Targets targets;
    private final NodeHash digest;
    private final LaneRange range;
    private final RateLimit rate;
    private final Flusher flusher;
    private final TreeSum treeSum;
    private final OfferedEntries entries;
    private final AtomicInteger laneKeys = new AtomicInteger();
    private final Map<Integer, ReceiverLane> receiving = new HashMap<>();
    private long countedNanos;
    private final long busyNanos;
    private long busyReportedNanos;

    private @Nullable Deletions deletions;

    public Receiver(SessionParts parts, Targets targets) {
        super(parts, Counter.RECEIVED_BYTES);
        TransferPlan request = parts.request();
        this.targets = targets;
        this.digest = request.hash();
        this.range = request.get(CopyValue.LANES).atMost(session.lanes());
        this.rate = parts.rate();
        this.busyNanos = TimeUnit.MILLISECONDS.toNanos(request.stepMs()) / 8;
        this.busyReportedNanos = session.clock().nanoTime();
        this.countedNanos = busyReportedNanos;
        this.treeSum = new TreeSum(digest.digest());
        this.entries = new OfferedEntries(this, parts, targets, treeSum);
        this.flusher = new Flusher(
                session.name(),
                session.budget(),
                request.get(CopyValue.DURABLE),
                () -> targets.target().syncFileSystem(),
                new Flusher.Listener() {
                    @Override
                    public void onDurable(List<Written> chunks, List<ReceiverFile> published) {
                        // At once, because the session may be ending.
                        chunks.stream()
                                .filter(each -> each.digest() != null)
                                .forEach(each -> ledger.acknowledged(each.lengthBytes()));
                        published.forEach(file -> ledger.named(file.sizeBytes(), file.resumedBytes()));
                        session.execute(() -> Receiver.this.onDurable(chunks, published));
                    }

                    @Override
                    public void onFlush(long nanos, int chunks) {
                        session.counters().addFlushNanos(nanos);
                        session.activity().onFlush(nanos, chunks);
                    }

                    @Override
                    public void onFailed(ReceiverFile file, TransferException why) {
                        fail(file, why);
                    }

                    @Override
                    public void onBroken(TransferException why) {
                        reportFailure(why);
                    }

                    @Override
                    public int filesUnderWay() {
                        return entries.filesUnderWay();
                    }

                    @Override
                    public long roomForFiles() {
                        return targets.target().roomForFiles();
                    }
                },
                session.clock());
        session.activity()
                .begin(new SessionActivity.Work(
                        SessionActivity.Service.COPY, SessionActivity.Direction.IN, digest.label(), figures, () -> 0));
    }

    @Override
    public boolean work() {
        Deletions ongoing = deletions;
        if (ongoing == null || finished != null) {
            return false;
        }
        boolean again;
        try {
            again = ongoing.work();
        } catch (TransferException tooMany) {
            finishTargets();
            throw tooMany;
        }
        if (ongoing.isDone()) {
            sendFinished();
        }
        return again;
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return TAKEN.contains(type) || (type == TransferMessage.LeftOut.class && mirror != null);
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (finish() != null && message instanceof TransferMessage) {
            throw breach("sent more messages after it had finished");
        }
        if (message instanceof TransferMessage.ManifestPage page) {
            entries.onPage(page);
        } else if (message instanceof TransferMessage.SourceShape shape) {
            targets.open(shape.singleFile());
            if (!targets.target().givesOwners()) {
                warn("the receiver does not run as root, so owners, groups, setuid, setgid and sticky bits are not"
                        + " preserved");
            }
        } else if (message instanceof TransferMessage.SourceFailed failed) {
            onSourceFailed(failed);
        } else if (message instanceof TransferMessage.LeftOut leftOut && mirror != null) {
            leftOut.paths().forEach(targets::leftOut);
        } else if (message instanceof TransferMessage.StreamEnded ended) {
            onStreamEnded(ended);
        } else if (message instanceof TransferMessage.LanesWanted wanted) {
            onLanesWanted(wanted);
        } else if (message instanceof TransferMessage.RetireLanes retire) {
            IntStream.of(retire.lanes()).limit(session.lanes()).forEach(lanes::giveUp);
        } else if (message instanceof TransferMessage.Finish end) {
            onFinish(end);
        } else {
            onCommonMessage(message, "sent a message that a sender must not send");
        }
    }

    /** The sender has found a better number; the client's own bounds still apply. */
    private void onLanesWanted(TransferMessage.LanesWanted wanted) {
        int count = Math.max(range.min(), Math.min(range.max(), wanted.count()));
        if (!lanes.request(count)) {
            throw breach("requested lanes that it must open itself");
        }
        session.activity().wantLanes(count, wanted.reason(), wanted.why());
    }

    /** Limits a lane to the rate of this side, on its thread; a sender that fills the path is slowed down. */
    void keepToRate(int lengthBytes, LaneCounters counters) {
        if (!rate.isUnlimited()) {
            counters.add(Counter.LIMITED_NANOS, rate.await(lengthBytes, session.budget()));
        }
    }

    /** For lanes. */
    OfferedEntries entries() {
        return entries;
    }

    /** A comparison is decided. Called on a lane's thread. */
    void reportCompared(Comparison comparison, Comparison.Finding finding) {
        requireFewGaps();
        if (finding != Comparison.Finding.OPEN) {
            session.execute(() -> entries.onCompared(comparison, finding == Comparison.Finding.SAME));
        }
    }

    private void requireFewGaps() {
        if (entries.hasTooManyGaps()) {
            throw Cause.LIMIT.failure(session.peer() + " left more gaps between chunks than the receiver can track");
        }
    }

    private void onSourceFailed(TransferMessage.SourceFailed failed) {
        Comparison comparison = entries.endComparison(failed.fileId());
        ReceiverFile file = entries.endFile(failed.fileId());
        if (file != null && file.giveUp()) {
            // Its present data mixes two states of the source, so it cannot be resumed.
            flusher.drop(file, false);
        }
        if (file != null) {
            ledger.failed(file.entry, file.movedBytes, failed.why());
        } else if (comparison != null) {
            ledger.failed(comparison.entry, failed.why());
        } else {
            ledger.failed(failed.path(), 0, failed.why());
        }
    }

    private void onStreamEnded(TransferMessage.StreamEnded ended) {
        ReceiverFile file = entries.file(ended.fileId());
        if (file == null) {
            return;
        }
        if (!file.endStream(ended.sizeBytes())) {
            throw breach("ended a stream at an invalid place: " + file.entry.path());
        }
        if (file.claimCompletion()) {
            complete(file, new Written(file, 0, 0, null, true));
        }
    }

    /** A chunk has been written and verified. Called on a lane's thread. */
    void onChunkWritten(ReceiverFile file, WriteGrant chunk, byte[] chunkDigest) {
        requireFewGaps();
        boolean completes = file.claimCompletion();
        Written written = new Written(file, chunk.offset, chunk.lengthBytes, chunkDigest, completes);
        if (completes) {
            complete(file, written);
        } else {
            flusher.add(written);
        }
    }

    /** All bytes of the file have arrived. Thread-safe. */
    void complete(ReceiverFile file, Written last) {
        try {
            file.target.seal();
        } catch (TransferException failure) {
            fail(file, failure);
            return;
        }
        flusher.add(last);
    }

    /**
     * The file cannot be put in place. It is dropped whatever the session does: the sender may have given it up when it
     * was complete, and then nothing else refers to it. On any thread that is not writing to it.
     */
    private void fail(ReceiverFile file, TransferException why) {
        file.giveUp();
        drop(file, why);
    }

    private void drop(ReceiverFile file, TransferException why) {
        flusher.drop(file, true);
        session.execute(() -> onFileFailed(file, why));
    }

    /** A lane cannot write to the file. Throws what does not concern only this file. Called on the lane's thread. */
    void onWriteFailed(ReceiverFile file, TransferException why) {
        Cause cause = why.failure().cause();
        if (cause.kind() != FailureKind.TARGET || cause.isOfDevice() || cause == Cause.READER_GONE) {
            throw why;
        }
        // Otherwise another lane gives it up, and may still wait for one that writes to it.
        if (file.giveUp()) {
            drop(file, why);
        }
    }

    /** A chunk did not verify. Called on a lane's thread. */
    void reportDamaged(ReceiverFile file, WriteGrant chunk) {
        file.target.onDamaged();
        session.send(new TransferMessage.SendAgain(file.id, chunk.offset, chunk.attempt));
    }

    private void onDurable(List<Written> chunks, List<ReceiverFile> published) {
        acknowledge(chunks);
        int[] ids = new int[published.size()];
        byte[] digests = new byte[ids.length * digest.lengthBytes()];
        for (int i = 0; i < ids.length; i++) {
            ReceiverFile file = published.get(i);
            ids[i] = file.id;
            byte[] fileDigest = file.digest();
            System.arraycopy(fileDigest, 0, digests, i * digest.lengthBytes(), digest.lengthBytes());
            entries.onPublished(file, fileDigest);
        }
        if (ids.length > 0) {
            session.send(new TransferMessage.FilesDone(ids, digests));
        }
        entries.decide();
    }

    private void acknowledge(List<Written> chunks) {
        int count = 0;
        int[] ids = new int[chunks.size()];
        long[] offsets = new long[chunks.size()];
        int[] lengths = new int[chunks.size()];
        for (Written written : chunks) {
            if (written.digest() != null) {
                written.file().movedBytes += written.lengthBytes();
                ids[count] = written.file().id;
                offsets[count] = written.offset();
                lengths[count++] = written.lengthBytes();
            }
        }
        if (count > 0) {
            session.send(new TransferMessage.Acknowledged(
                    Arrays.copyOf(ids, count), Arrays.copyOf(offsets, count), Arrays.copyOf(lengths, count)));
        }
    }

    private void onFileFailed(ReceiverFile file, TransferException why) {
        if (entries.endFile(file.id) == null) {
            return;
        }
        if (why.kind() == FailureKind.BUSY && file.entry.range() == null) {
            throw why;
        }
        ledger.failed(file.entry, file.movedBytes, why.failure());
        session.send(new TransferMessage.FileFailed(file.id, why.failure()));
        if (targets.isFull(why) || why.is(Cause.HOST_LIMIT)) {
            throw why;
        }
    }

    private void onFinish(TransferMessage.Finish end) {
        if (!entries.areSettled()) {
            throw breach("finished before all of its files were complete");
        }
        onAllMoved(end);
        figures.totalsFinal = true;
        figures.bytesResent.set(end.bytesResent());
        flusher.close();
        Mirror mirror = this.mirror;
        long failed = figures.filesFailed.get();
        if (mirror != null && failed == 0) {
            deletions = new Deletions(session, targets, ledger, mirror, dryRun);
            return;
        }
        if (mirror != null) {
            warn("nothing was deleted, because " + failed + (failed == 1 ? " file" : " files")
                    + " failed; fix the cause, then run it again");
        }
        sendFinished();
    }

    private void sendFinished() {
        finishTargets();
        Bottleneck.Share share = Bottleneck.ofReceiver(session.counters());
        finished = new TransferMessage.Finished(
                figures.filesDone.get(),
                figures.bytesInPlace.get(),
                figures.bytesResumed.get(),
                figures.filesSkipped.get(),
                figures.filesFailed.get(),
                treeSum.print(),
                share.limit(),
                share.percent(),
                targets.renamesSingle());
        tellCounts(true);
        session.send(finished);
    }

    private void finishTargets() {
        PathReports reports = new PathReports(session);
        targets.finish((path, why) -> {
            ledger.failed(path, 0, why.failure());
            reports.add(path, true, why);
        });
        reports.send();
    }

    @Override
    public LaneHandler onLane(int index, int attempt, Lane lane) {
        int key = laneKeys.getAndIncrement();
        ReceiverLane handler = new ReceiverLane(this, lane, index, key, session, new TreeDigest(digest));
        session.execute(() -> {
            lanes.onJoined(index, key, lane);
            receiving.put(key, handler);
        });
        return handler;
    }

    void reportLaneClosed(int index, int key, @Nullable TransferException cause) {
        session.execute(() -> {
            receiving.remove(key);
            spread.onLanesChanged();
            lanes.onClosed(index, key, cause);
        });
    }

    /** Tells the sender, which knows of none of this, or not at its end. */
    private void tellCounts(boolean last) {
        ledger.count(session, Counter.RECEIVED_BYTES);
        session.tell(new SessionMessage.Counted(
                figures.bytesArrived.get(),
                figures.bytesVerified.get(),
                figures.bytesMoved.get(),
                figures.bytesKept.get(),
                last && flusher.hasEnded()));
    }

    @Override
    public void onTick() {
        long now = session.clock().nanoTime();
        if (now - countedNanos >= COUNT_NANOS) {
            countedNanos = now;
            tellCounts(false);
        }
        targets.onTick(flusher.isBusyFor(0));
        lanes.check(entries.areUnderWay());
        entries.decide();
        reportBusyLanes();
        requestReplacementOfBunchedLanes();
    }

    /** The network determines how packets arrive; a redialled lane uses another port, and perhaps another path. */
    private void requestReplacementOfBunchedLanes() {
        if (finish() == null) {
            List<Integer> bunching = spread.lanesToReplace();
            if (!bunching.isEmpty()) {
                session.send(new TransferMessage.RetireLanes(
                        bunching.stream().mapToInt(Integer::intValue).toArray()));
            }
        }
    }

    /** A lane that waits for a slow disk has not stalled. */
    private void reportBusyLanes() {
        long now = session.clock().nanoTime();
        if (now - busyReportedNanos < busyNanos) {
            return;
        }
        boolean flushing = flusher.isBusyFor(busyNanos);
        int[] busy = receiving.values().stream()
                .filter(lane -> flushing || lane.isBusyFor(busyNanos))
                .mapToInt(ReceiverLane::index)
                .toArray();
        if (busy.length > 0) {
            busyReportedNanos = now;
            session.send(new TransferMessage.LanesBusy(busy));
        }
    }

    @Override
    public void close(@Nullable TransferException cause) {
        targets.stopWaiting();
        lanes.closeAll(cause);
        flusher.close();
        entries.close();
        figures.keptExact = flusher.hasEnded();
        tellCounts(true);
        if (deletions != null) {
            deletions.close();
        }
        targets.close();
    }
}
