package io.fdt.core.transfer.sending;

import io.fdt.core.control.Session;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.storage.source.WholeFiles;
import io.fdt.core.transfer.CopySide;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a session: walks the sources, offers them in pages, queues what the receiver needs, and keeps the
 * records until everything is acknowledged. Its {@link SenderLane}s send the data. For the session's thread, except for
 * calls of lanes: {@link #file}, {@link #onLane} and the methods that post to the session.
 */
public final class Sender extends CopySide {
    /** A lane also carries what is made up for after a pause, headers and TLS. */
    private static final Set<Class<?>> TAKEN = Set.of(
            TransferMessage.Verdicts.class,
            TransferMessage.Acknowledged.class,
            TransferMessage.FilesDone.class,
            TransferMessage.SendAgain.class,
            TransferMessage.LanesBusy.class,
            TransferMessage.RetireLanes.class,
            TransferMessage.FileFailed.class,
            TransferMessage.Deleted.class,
            TransferMessage.Finished.class,
            SessionMessage.Warning.class);

    private static final double PACE_OVER_RATE = 1.25;

    /**
     * Entries offered and not settled: bounds the memory, and must cover what lanes move between two flushes of the
     * target.
     */
    private static final int MAX_OPEN_ENTRIES = 8_192;

    /** How often a chunk may arrive and not verify. Chunks lost with their lane do not count. */
    private static final int MAX_DAMAGES = 3;
    /** How many chunks of zeros a lane sends in the remaining time. */
    private static final int ZERO_CHUNKS = 4;
    /** The data that a lane holds: its blocks, and the content of its socket. */
    private static final int ZERO_HELD_BYTES = 11 * TreeDigest.LEAF_BYTES;

    private final Sources sources;
    private final ChunkQueue queue;
    private final RateLimit rateLimit;

    /** The pace of one lane, which may have to carry everything; 0 for none. */
    private final long paceBytesPerSecond;

    private final NodeHash digest;
    private final int chunkBytes;
    private final ManifestPages manifest;
    private boolean filesInPlace;
    private final Map<Integer, SenderFile> files = new ConcurrentHashMap<>();
    private final AtomicInteger idleSources = new AtomicInteger();
    private final AtomicInteger laneKeys = new AtomicInteger();
    /** By key. */
    private final Map<Integer, OpenLane> open = new HashMap<>();

    private final StallWatch stalls;
    private final Retirement retirement;
    private final AutoLanes autoLanes;

    private RawPath directory = RawPath.EMPTY;
    private int directoryNumber;

    private long zeroDeadlineNanos;
    private int zeroFileId = -1;

    public Sender(SessionParts parts, Sources sources) {
        super(parts, Counter.SENT_BYTES);
        TransferPlan request = parts.request();
        this.sources = sources;
        this.rateLimit = new RateLimit(request.get(CopyValue.RATE_LIMIT), session.clock()).and(parts.rate());
        this.paceBytesPerSecond = (long) (PACE_OVER_RATE * request.get(CopyValue.RATE_LIMIT) / 8);
        this.digest = request.hash();
        this.manifest = new ManifestPages(this, parts, sources);
        this.chunkBytes = request.get(CopyValue.CHUNK_BYTES);
        this.queue = new ChunkQueue(chunkBytes, TreeDigest.LEAF_BYTES);
        this.stalls = new StallWatch(open, queue, session.clock(), request.stepMs(), this::sendGivenUp);
        this.retirement = new Retirement(open, queue);
        this.autoLanes =
                new AutoLanes(session, request.get(CopyValue.LANES).atMost(session.lanes()), lanes, retirement, queue);
        session.activity()
                .begin(new SessionActivity.Work(
                        SessionActivity.Service.COPY,
                        SessionActivity.Direction.OUT,
                        digest.label(),
                        figures,
                        files::size));
    }

    /** A client would wait for a lane whose packets are lost; this message makes it dial again. Thread-safe. */
    private void sendGivenUp(int index) {
        if (!lanes.dials()) {
            session.execute(() -> session.send(new TransferMessage.RetireLanes(new int[] {index})));
        }
    }

    /** Sends what the receiver must know before the first entry. */
    public void begin() {
        session.send(new TransferMessage.SourceShape(sources.isSingleFile()));
    }

    @Override
    public boolean work() {
        endZerosInTime();
        if (manifest.isWalked()) {
            filesInPlace |= files.isEmpty();
            if (!filesInPlace || manifest.isOffered()) {
                finishWhenSettled();
                return false;
            }
        }
        return files.size() < MAX_OPEN_ENTRIES && manifest.sendPage();
    }

    /** An entry is sent with the next page. */
    void onOffered(int id, FileEntry entry) {
        files.put(id, new SenderFile(id, entry, sources::open, idleSources));
    }

    private void finishWhenSettled() {
        if (finish() == null && files.isEmpty() && manifest.isOffered()) {
            manifest.sendLeftOut();
            Bottleneck.Share share = Bottleneck.ofSender(session.counters());
            ledger.count(session, Counter.SENT_BYTES);
            TransferMessage.Finish last = new TransferMessage.Finish(
                    figures.bytesSent.get(), figures.bytesResent.get(), share.limit(), share.percent());
            onAllMoved(last);
            session.send(last);
        }
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return TAKEN.contains(type);
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (message instanceof TransferMessage.Verdicts verdicts) {
            onVerdicts(verdicts);
        } else if (message instanceof TransferMessage.Acknowledged acknowledged) {
            onAcknowledged(acknowledged);
        } else if (message instanceof TransferMessage.FilesDone done) {
            onFilesDone(done);
        } else if (message instanceof TransferMessage.SendAgain again) {
            onSendAgain(again);
        } else if (message instanceof TransferMessage.LanesBusy busy) {
            stalls.onBusy(busy.lanes());
        } else if (message instanceof TransferMessage.RetireLanes retire) {
            IntStream.of(retire.lanes()).limit(session.lanes()).forEach(retirement::retire);
        } else if (message instanceof TransferMessage.FileFailed failed) {
            SenderFile file = settle(failed.fileId());
            if (file != null) {
                fail(file, failed.why());
            }
        } else if (message instanceof TransferMessage.Deleted deleted && finish() != null && mayBe(deleted)) {
            deleted.deletions().forEach(this::onDeletion);
        } else if (message instanceof TransferMessage.Finished end && finish() != null) {
            finished = end;
        } else {
            onCommonMessage(message, "sent a message that a receiver must not send");
        }
    }

    private void onVerdicts(TransferMessage.Verdicts verdicts) {
        int next = verdicts.firstId();
        int end = verdicts.firstId() + verdicts.count();
        manifest.onDecided(next, end);
        for (TransferMessage.Verdict verdict : verdicts.exceptions()) {
            if (verdict.fileId() < next || verdict.count() > end - verdict.fileId()) {
                throw manifest.notOffered();
            }
            for (; next < verdict.fileId(); next++) {
                onWanted(next);
            }
            for (; next < verdict.fileId() + verdict.count(); next++) {
                onException(next, verdict);
            }
        }
        for (; next < end; next++) {
            onWanted(next);
        }
        autoLanes.onWork();
        queue.wakeLanes();
    }

    private void onWanted(int id) {
        SenderFile file = files.get(id);
        if (file == null) {
            return;
        }
        FileEntry entry = file.entry;
        decide(file);
        if (!entry.hasData()) {
            settle(id);
            ledger.made(entry);
        } else if (entry.sizeBytes() == FileEntry.UNKNOWN_SIZE) {
            queueStream(id);
        } else {
            queueWhole(file);
        }
    }

    private void queueWhole(SenderFile file) {
        long sizeBytes = file.entry.sizeBytes();
        if (sizeBytes > 0) {
            queue.add(file.id, directoryNumber(file.entry), sizeBytes, List.of(new Range(0, sizeBytes)));
        }
    }

    /** Equal for consecutive entries of one directory. */
    private int directoryNumber(FileEntry entry) {
        if (!entry.path().isIn(directory)) {
            directory = entry.path().parent();
            directoryNumber++;
        }
        return directoryNumber;
    }

    /**
     * One verdict per entry, so that the queue stays in proportion to what was offered. Only a comparison is followed
     * by another verdict: digests that were not sent yet are no longer needed.
     */
    private void decide(SenderFile file) {
        if (!file.decide()) {
            throw breach("answered twice for " + file.entry.path());
        }
        if (file.isComparing()) {
            queue.giveUp(file.id);
            file.setComparing(false);
        }
    }

    private void queueStream(int id) {
        if (sources.zeroDurationNanos() >= 0) {
            zeroFileId = id;
            zeroDeadlineNanos = session.clock().nanoTime() + sources.zeroDurationNanos();
        }
        // Chunks of zeros become longer when their rate is known.
        queue.addStream(id, TreeDigest.LEAF_BYTES);
    }

    private void endZerosInTime() {
        if (zeroFileId >= 0 && session.clock().nanoTime() - zeroDeadlineNanos >= 0) {
            long sizeBytes = Math.max(0, queue.endStream(zeroFileId));
            SenderFile file = files.get(zeroFileId);
            if (file != null) {
                file.setSizeBytes(sizeBytes);
            }
            session.send(new TransferMessage.StreamEnded(zeroFileId, sizeBytes));
            zeroFileId = -1;
        }
    }

    /**
     * The copy ends when the slowest lane has sent everything: chunks are short if lanes are slow, and the last one is
     * claimed before the time is over.
     */
    private void fitZeros() {
        long moved = figures.bytesMoved.get();
        if (zeroFileId >= 0 && moved > 0) {
            long leftNanos = Math.max(0, zeroDeadlineNanos - session.clock().nanoTime());
            long passedNanos = sources.zeroDurationNanos() - leftNanos;
            double each = (double) moved / passedNanos * leftNanos / Math.max(1, figures.lanesAlive.get());
            if (each < ZERO_HELD_BYTES && leftNanos < sources.zeroDurationNanos() / ZERO_CHUNKS) {
                zeroDeadlineNanos = session.clock().nanoTime();
            }
            double fitting = Math.max(TreeDigest.LEAF_BYTES, Math.min(Bounds.MAX_CHUNK_BYTES, each / ZERO_CHUNKS));
            queue.limitStream(zeroFileId, Integer.highestOneBit((int) fitting));
        }
    }

    private void onException(int id, TransferMessage.Verdict verdict) {
        SenderFile file = files.get(id);
        if (file == null) {
            return;
        }
        decide(file);
        switch (verdict.kind()) {
            case COMPARE -> {
                file.setComparing(true);
                queueWhole(file);
            }
            case MADE -> settle(file.id);
            case SKIPPED -> {
                settle(file.id);
                ledger.skipped(file.entry, new byte[0]);
            }
            case WOULD_COPY, WOULD_REPLACE -> {
                settle(file.id);
                ledger.wouldCopy(file.entry, verdict.kind() == TransferMessage.VerdictKind.WOULD_REPLACE);
            }
            case FAILED -> {
                settle(file.id);
                Failure why = verdict.why();
                fail(file, why == null ? Failure.of(Cause.UNKNOWN, "").from(session.peer()) : why);
            }
            case PART -> {
                if (file.entry.kind() != FileEntry.Kind.FILE) {
                    throw breach("requested a part of something that is not a file");
                }
                long missing = 0;
                for (Range range : verdict.missing()) {
                    if (range.end() > file.entry.sizeBytes()) {
                        throw breach("requested more than the file contains");
                    }
                    missing += range.lengthBytes();
                }
                file.resume(file.entry.sizeBytes() - missing);
                ledger.resumed(file.entry, file.resumedBytes());
                queue.add(file.id, directoryNumber(file.entry), file.entry.sizeBytes(), verdict.missing());
            }
        }
    }

    private void onAcknowledged(TransferMessage.Acknowledged acknowledged) {
        for (int i = 0; i < acknowledged.fileIds().length; i++) {
            int lengthBytes = queue.acknowledge(
                    acknowledged.fileIds()[i],
                    acknowledged.offsets()[i],
                    acknowledged.lengths()[i]);
            if (lengthBytes >= 0) {
                ledger.acknowledged(lengthBytes);
                SenderFile file = files.get(acknowledged.fileIds()[i]);
                if (file != null) {
                    file.movedBytes += lengthBytes;
                }
            }
        }
    }

    private void onFilesDone(TransferMessage.FilesDone done) {
        int[] ids = done.fileIds();
        int length = digest.lengthBytes();
        if (done.digests().length != ids.length * length) {
            throw breach("sent digests of the wrong length");
        }
        for (int i = 0; i < ids.length; i++) {
            SenderFile file = settle(ids[i]);
            if (file != null) {
                ledger.acknowledged(queue.complete(ids[i]));
                byte[] fileDigest = Arrays.copyOfRange(done.digests(), i * length, (i + 1) * length);
                ledger.named(file.sizeBytes(), file.resumedBytes());
                ledger.done(file.entry, file.sizeBytes(), file.resumedBytes() > 0, fileDigest);
            }
        }
    }

    private void onSendAgain(TransferMessage.SendAgain again) {
        SenderFile file = files.get(again.fileId());
        if (file == null) {
            return;
        }
        if (queue.sendAgain(again.fileId(), again.offset(), again.attempt()) >= MAX_DAMAGES) {
            String reason = "the chunk at offset " + again.offset() + " arrived damaged " + MAX_DAMAGES + " times";
            onSourceFailed(file, Failure.of(Cause.INTEGRITY, reason));
        }
    }

    /** A lane could not read what it claimed. Thread-safe. */
    void reportSourceFailed(SenderFile file, TransferException why) {
        if (why.is(Cause.HOST_LIMIT)) {
            reportFailure(why);
            return;
        }
        session.execute(() -> onSourceFailed(file, why.failure()));
    }

    private void onSourceFailed(SenderFile file, Failure why) {
        if (settle(file.id) != null) {
            session.send(new TransferMessage.SourceFailed(file.id, file.entry.path(), why));
            fail(file, why);
        }
    }

    /** What is to be offered, for the walk. */
    ManifestPages manifest() {
        return manifest;
    }

    /** A source cannot be offered at all. On the session's thread. */
    void onWalkProblem(RawPath path, TransferException why) {
        if (why.is(Cause.HOST_LIMIT)) {
            throw why;
        }
        session.send(new TransferMessage.SourceFailed(-1, path, why.failure()));
        ledger.failed(path, 0, why.failure());
    }

    /** Only a mirroring copy deletes. */
    private boolean mayBe(TransferMessage.Deleted deleted) {
        return mirror != null || deleted.deletions().stream().allMatch(each -> each.why() != null);
    }

    private void onDeletion(TransferMessage.Deletion deletion) {
        Failure why = deletion.why();
        if (why == null) {
            ledger.deleted(deletion.path(), deletion.directory());
        } else {
            ledger.failed(deletion.path(), 0, why);
        }
    }

    /** A pipe has ended. Thread-safe. */
    void reportStreamEnded(SenderFile file, long sizeBytes) {
        session.execute(() -> {
            queue.endStream(file.id);
            file.setSizeBytes(sizeBytes);
            session.send(new TransferMessage.StreamEnded(file.id, sizeBytes));
        });
    }

    private void fail(SenderFile file, Failure why) {
        queue.giveUp(file.id);
        ledger.failed(file.entry, file.movedBytes, why);
    }

    private @Nullable SenderFile settle(int id) {
        SenderFile file = files.remove(id);
        if (file != null) {
            file.end();
        }
        return file;
    }

    /** For lanes; null if the file is already settled. */
    @Nullable SenderFile file(int id) {
        return files.get(id);
    }

    int chunkBytes() {
        return chunkBytes;
    }

    boolean readsSmallFiles() {
        return sources.readsWholeFiles();
    }

    /** Reads small files whole, for lanes; returns how many, in order. */
    int read(WholeFiles small) {
        return sources.read(small);
    }

    @Override
    public LaneHandler onLane(int index, int attempt, Lane lane) {
        int key = laneKeys.getAndIncrement();
        SenderLane sending = new SenderLane(this, lane, index, key, queue, rateLimit, new TreeDigest(digest));
        session.execute(() -> {
            lanes.onJoined(index, key, lane);
            open.put(key, new OpenLane(index, lane, sending));
            autoLanes.onJoined(index, lane);
            if (paceBytesPerSecond > 0) {
                lane.execute(() -> lane.connection().pace(paceBytesPerSecond));
            }
        });
        return sending;
    }

    Session session() {
        return session;
    }

    /** Called by a lane when it is closed. Thread-safe. */
    void reportLaneClosed(int index, int key, @Nullable TransferException cause) {
        session.execute(() -> {
            open.remove(key);
            spread.onLanesChanged();
            queue.returnClaims(key);
            lanes.onClosed(index, key, cause);
        });
    }

    @Override
    public void onTick() {
        ledger.onTick();
        ledger.count(session, Counter.SENT_BYTES);
        endZerosInTime();
        fitZeros();
        stalls.check();
        spread.lanesToReplace().forEach(retirement::retire);
        autoLanes.onWork();
        autoLanes.check();
        queue.wakeAnother();
        retirement.check();
        lanes.check(!queue.isDrained());
    }

    /** Active lanes find nothing more to do. */
    @Override
    public void close(@Nullable TransferException cause) {
        // First: an active lane must not find one closed file after the other.
        queue.close();
        lanes.closeAll(cause);
        files.values().forEach(SenderFile::end);
        files.clear();
    }
}
