package io.fdt.core.transfer.receiving;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.PathHashes;
import io.fdt.core.transfer.CopySide;
import io.fdt.core.transfer.LaneSpread;
import io.fdt.core.transfer.LaneWatch;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.receiving.Flusher.Written;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.Capability;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of a session: decides what is wanted of each page, completes files, acknowledges what is durable,
 * and finishes. The bytes themselves are the business of its {@link ReceiverLane}s, their durability that of the
 * {@link Flusher}. Belongs to the session's thread but for what lanes and the flusher call.
 */
public final class Receiver implements CopySide {
    /** Twice what a sender keeps open, so that an honest one never meets it. */
    private static final int MAX_OPEN_ENTRIES = 65_536;
    /** Four times what a sender has undecided at once, and room for the largest entry. */
    private static final long MAX_OFFERED_BYTES = 16L << 20;
    /** With more open, further entries wait: a session must not fill the heap with names and attributes. */
    private static final long MAX_OPEN_BYTES =
            Math.min(32L << 20, Runtime.getRuntime().maxMemory() / 64);
    /** Chunks that come nearly in order leave some twenty nodes a file that is under way. */
    private static final int MAX_NODES = 65_536;

    private final Session session;
    private final Targets targets;
    private final Ledger ledger;
    private final TransferFigures figures;
    private final DigestKind digest;
    private final LaneWatch lanes;
    private final LaneRange range;
    private final LimitGate limits;
    private final RateLimit rate;
    private final boolean dryRun;
    private final @Nullable Mirror mirror;
    private final Flusher flusher;
    private final TreeSum treeSum;
    private final Map<Integer, ReceiverFile> files = new ConcurrentHashMap<>();
    private final Map<Integer, Comparison> comparisons = new ConcurrentHashMap<>();
    private final AtomicInteger laneKeys = new AtomicInteger();
    private final AtomicInteger nodes = new AtomicInteger();
    private final Map<Integer, ReceiverLane> receiving = new HashMap<>();
    private final LaneSpread spread;
    private boolean senderRetiresLanes;
    private final long busyNanos;
    private long busyReportedNanos;

    /**
     * Entries that were offered and are not decided about, in order; the last one is the one before {@link #nextId}.
     */
    private final ArrayDeque<FileEntry> offered = new ArrayDeque<>();
    /** What {@link #files} and {@link #comparisons} are about. */
    private final Set<Place> open = new HashSet<>();

    /** Files that this session has in place and that entries to come may be further names of. */
    private final PathHashes linkable = new PathHashes();

    private long offeredBytes;
    private long openBytes;

    /** What only one open entry may be about: no path is there twice, but for ranges of one file. */
    private record Place(RawPath path, @Nullable FileRange range) {
        static Place of(FileEntry entry) {
            return new Place(entry.path(), entry.range());
        }
    }

    private int nextId;
    private @Nullable Deletions deletions;
    private TransferMessage.@Nullable Finish finish;
    private TransferMessage.@Nullable Finished finished;

    public Receiver(SessionParts parts, Targets targets) {
        CopyRequest request = parts.request();
        this.session = parts.session();
        this.targets = targets;
        this.ledger = parts.ledger();
        this.figures = parts.figures();
        this.digest = request.digest();
        this.dryRun = request.dryRun();
        this.mirror = request.rules().mirror();
        figures.dryRun = dryRun;
        this.lanes = parts.lanes();
        this.range = request.lanes().atMost(session.lanes());
        this.limits = parts.limits();
        this.rate = parts.rate();
        this.busyNanos = TimeUnit.MILLISECONDS.toNanos(request.timeoutMs()) / 8;
        this.busyReportedNanos = session.clock().nanoTime();
        this.spread = new LaneSpread(session, parts.spread(), Counter.RECEIVED_BYTES, this::warn);
        this.treeSum = new TreeSum(digest);
        this.flusher = new Flusher(
                session.name(),
                request.rules().durability(),
                targets::flushFileSystem,
                session.counters(),
                new Flusher.Listener() {
                    @Override
                    public void onDurable(List<Written> chunks, List<ReceiverFile> published) {
                        session.execute(() -> Receiver.this.onDurable(chunks, published));
                    }

                    @Override
                    public void onFailed(ReceiverFile file, TransferException why) {
                        session.execute(() -> onFileFailed(file, why));
                    }

                    @Override
                    public void onBroken(TransferException why) {
                        reportFailure(why);
                    }
                });
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
    public void onMessage(ControlMessage message) {
        if (finish != null && message instanceof TransferMessage) {
            throw new TransferException(
                    FailureKind.VERSION, session.peer() + " sent more messages after it had" + " finished");
        }
        if (message instanceof TransferMessage.ManifestPage page) {
            onPage(page);
        } else if (message instanceof TransferMessage.SourceShape shape) {
            targets.open(shape.singleFile());
            if (!targets.givesOwners()) {
                warn("the receiver does not run as root, so owners, groups, setuid, setgid and sticky bits are not"
                        + " preserved");
            }
            senderRetiresLanes = shape.retiresLanes();
        } else if (message instanceof TransferMessage.SourceFailed failed) {
            onSourceFailed(failed);
        } else if (message instanceof TransferMessage.LeftOut leftOut && mirror != null) {
            leftOut.paths().forEach(targets::leftOut);
        } else if (message instanceof TransferMessage.StreamEnded ended) {
            onStreamEnded(ended);
        } else if (message instanceof SessionMessage.Warning warning) {
            ledger.warn(warning.message());
        } else if (message instanceof TransferMessage.LanesWanted wanted) {
            onLanesWanted(wanted);
        } else if (message instanceof TransferMessage.Finish end) {
            onFinish(end);
        } else if (message instanceof SessionMessage.Failed failed) {
            throw failed.failure();
        } else {
            throw new TransferException(
                    FailureKind.VERSION, session.peer() + " sent a message that a sender must not send");
        }
    }

    /** The sender has found a better number; the client's own bounds hold. */
    private void onLanesWanted(TransferMessage.LanesWanted wanted) {
        int count = Math.max(range.min(), Math.min(range.max(), wanted.count()));
        if (!lanes.want(count)) {
            throw new TransferException(
                    FailureKind.VERSION, session.peer() + " requested lanes that it must open itself");
        }
        session.activity().wantLanes(count, wanted.reason(), wanted.why());
    }

    private void onPage(TransferMessage.ManifestPage page) {
        if (page.firstId() != nextId) {
            throw new TransferException(FailureKind.VERSION, session.peer() + " sent its manifest out of order");
        }
        if (files.size() + comparisons.size() + offered.size() > MAX_OPEN_ENTRIES
                || nextId > Integer.MAX_VALUE - Bounds.MAX_PAGE_ENTRIES) {
            throw new TransferException(
                    FailureKind.LIMIT, session.peer() + " offered more than " + MAX_OPEN_ENTRIES + " files at once");
        }
        offered.addAll(page.entries());
        offeredBytes += page.entries().stream().mapToLong(FileEntry::heapBytes).sum();
        if (offeredBytes > MAX_OFFERED_BYTES) {
            throw new TransferException(
                    FailureKind.LIMIT, session.peer() + " offered more files at once than the receiver can hold");
        }
        nextId += page.entries().size();
        decide();
    }

    /** Holds a lane back to the rate of this side, on its thread; a sender that fills the path waits with it. */
    void keepToRate(int lengthBytes, LaneCounters counters) {
        if (!rate.isUnlimited()) {
            counters.add(Counter.LIMITED_NANOS, rate.await(lengthBytes));
        }
    }

    /**
     * Decides about what was offered, in order. An entry whose file has to be opened waits until there is room for it.
     */
    private void decide() {
        int firstId = nextId - offered.size();
        int count = 0;
        List<Verdict> exceptions = new ArrayList<>();
        for (FileEntry entry = offered.peek();
                entry != null
                        && count < Bounds.MAX_PAGE_ENTRIES
                        && openBytes < MAX_OPEN_BYTES
                        && targets.hasRoomFor(entry);
                entry = offered.peek()) {
            Verdict verdict = prepare(firstId + count, entry);
            if (verdict != null) {
                addTo(exceptions, verdict);
            }
            offered.remove();
            offeredBytes -= entry.heapBytes();
            count++;
        }
        if (count > 0) {
            session.send(new TransferMessage.Verdicts(firstId, count, exceptions));
        }
    }

    /** Files that are there, as most are in a second run, come as one verdict. */
    private void addTo(List<Verdict> verdicts, Verdict next) {
        Verdict last = verdicts.isEmpty() ? null : verdicts.get(verdicts.size() - 1);
        if (last != null
                && last.kind() == VerdictKind.SKIPPED
                && next.kind() == VerdictKind.SKIPPED
                && last.fileId() + last.count() == next.fileId()
                && session.peerCan(Capability.VERDICT_RUNS)) {
            verdicts.set(verdicts.size() - 1, last.longer());
        } else {
            verdicts.add(next);
        }
    }

    /** Null where the entry is wanted whole, or made. */
    private @Nullable Verdict prepare(int id, FileEntry entry) {
        limits.countEntry();
        targets.requireRequested(entry);
        ledger.found(entry);
        try {
            limits.requirePath(entry);
            requireUnopened(entry);
        } catch (TransferException failure) {
            return fail(id, entry, failure);
        }
        targets.claim(entry);
        Outcome outcome;
        try {
            requireLinkable(entry);
            outcome = targets.prepare(entry);
        } catch (TransferException failure) {
            targets.release(entry);
            if (failure.kind() == FailureKind.LIMIT || failure.kind() == FailureKind.HOST_LIMIT) {
                throw failure;
            }
            return fail(id, entry, failure);
        }
        return decided(id, entry, outcome);
    }

    /** Null where the entry is wanted whole, or made. */
    private @Nullable Verdict decided(int id, FileEntry entry, Outcome outcome) {
        if (outcome instanceof Outcome.Wanted wanted && !dryRun) {
            return want(id, entry, wanted);
        }
        targets.release(entry);
        if (outcome instanceof Outcome.Compare there) {
            return compare(id, entry, there.existing());
        }
        if (outcome instanceof Outcome.Made) {
            if (entry.isFurtherName()) {
                treeSum.addUnknown();
            } else {
                treeSum.add(entry, new byte[0]);
            }
            ledger.made(entry);
            return null;
        }
        if (outcome instanceof Outcome.Skipped) {
            ledger.skipped(entry, new byte[0]);
            treeSum.addUnknown();
            onInPlace(entry);
            return verdict(id, VerdictKind.SKIPPED);
        }
        boolean replaces = outcome instanceof Outcome.WouldReplace;
        ledger.wouldCopy(entry, replaces);
        onInPlace(entry);
        boolean told = replaces && session.peerCan(Capability.SELECTION);
        return verdict(id, told ? VerdictKind.WOULD_REPLACE : VerdictKind.WOULD_COPY);
    }

    /** Other names of the file may come. */
    private void onInPlace(FileEntry entry) {
        if (entry.isFirstName()) {
            linkable.add(entry.path());
        }
    }

    private void requireLinkable(FileEntry entry) {
        RawPath first = entry.linkTarget();
        if (entry.isFurtherName() && first != null && !linkable.contains(first)) {
            throw new TransferException(
                    FailureKind.TARGET,
                    entry.path().display() + ": is a hard link to " + first.display() + ", which was not copied");
        }
    }

    private void addOpen(FileEntry entry) {
        open.add(Place.of(entry));
        openBytes += entry.heapBytes();
    }

    private void removeOpen(FileEntry entry) {
        open.remove(Place.of(entry));
        openBytes -= entry.heapBytes();
    }

    private void requireUnopened(FileEntry entry) {
        if (entry.hasData() && open.contains(Place.of(entry))) {
            throw new TransferException(FailureKind.REFUSED, entry.path().display() + ": was offered twice");
        }
    }

    private Verdict fail(int id, FileEntry entry, TransferException why) {
        ledger.failed(entry, why.kind(), String.valueOf(why.getMessage()));
        return new Verdict(id, VerdictKind.FAILED, List.of(), why.kind().exitCode(), String.valueOf(why.getMessage()));
    }

    private Verdict compare(int id, FileEntry entry, Supplier<SourceFile> existing) {
        Comparison comparison = new Comparison(id, entry, existing, digest);
        if (entry.sizeBytes() == 0) {
            return keep(comparison);
        }
        comparisons.put(id, comparison);
        addOpen(entry);
        return verdict(id, VerdictKind.COMPARE);
    }

    private Verdict keep(Comparison comparison) {
        try {
            targets.keep(comparison.entry);
        } catch (TransferException failure) {
            return fail(comparison.id, comparison.entry, failure);
        }
        byte[] same = comparison.digest();
        ledger.skipped(comparison.entry, same);
        onInPlace(comparison.entry);
        treeSum.add(comparison.entry, same);
        return verdict(comparison.id, VerdictKind.SKIPPED);
    }

    /** A comparison is decided. A lane's thread. */
    void reportCompared(Comparison comparison, Comparison.Finding finding) {
        if (finding != Comparison.Finding.OPEN) {
            session.execute(() -> onCompared(comparison, finding == Comparison.Finding.SAME));
        }
    }

    private void onCompared(Comparison comparison, boolean same) {
        if (endComparison(comparison.id) == null) {
            return;
        }
        Verdict verdict = same ? keep(comparison) : wantDifferent(comparison);
        session.send(new TransferMessage.Verdicts(comparison.id, 1, verdict == null ? List.of() : List.of(verdict)));
    }

    private @Nullable Comparison endComparison(int id) {
        Comparison ended = comparisons.remove(id);
        if (ended != null) {
            ended.end();
            removeOpen(ended.entry);
        }
        return ended;
    }

    private @Nullable ReceiverFile endFile(int id) {
        ReceiverFile ended = files.remove(id);
        if (ended != null) {
            removeOpen(ended.entry);
            targets.release(ended.entry);
        }
        return ended;
    }

    private @Nullable Verdict wantDifferent(Comparison comparison) {
        targets.claim(comparison.entry);
        Outcome outcome;
        try {
            outcome = targets.prepareDifferent(comparison.entry);
        } catch (TransferException failure) {
            targets.release(comparison.entry);
            return fail(comparison.id, comparison.entry, failure);
        }
        return decided(comparison.id, comparison.entry, outcome);
    }

    /** For lanes; null when nobody compares the file any more. */
    @Nullable Comparison comparison(int id) {
        return comparisons.get(id);
    }

    private @Nullable Verdict want(int id, FileEntry entry, Outcome.Wanted wanted) {
        if (wanted.dropped() != null) {
            warn(entry.path().display() + ": starts over, " + wanted.dropped());
        }
        ReceiverFile file = new ReceiverFile(id, entry, wanted.file(), digest, wanted.durable(), nodes);
        files.put(id, file);
        addOpen(entry);
        limits.declare(Math.max(0, entry.sizeBytes() - file.coveredBytes()));
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

    private void onSourceFailed(TransferMessage.SourceFailed failed) {
        FailureKind kind = failed.kind();
        endComparison(failed.fileId());
        ReceiverFile file = endFile(failed.fileId());
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
                    FailureKind.VERSION, session.peer() + " ended a stream at an invalid place: " + file.entry.path());
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
    void onChunkWritten(ReceiverFile file, WriteGrant chunk, byte[] chunkDigest) {
        if (nodes.get() > MAX_NODES) {
            throw new TransferException(
                    FailureKind.LIMIT, session.peer() + " left more gaps between chunks than the receiver can track");
        }
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
    void reportDamaged(ReceiverFile file, WriteGrant chunk) {
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
            endFile(file.id);
            byte[] fileDigest = file.digest();
            System.arraycopy(fileDigest, 0, digests, i * digest.lengthBytes(), digest.lengthBytes());
            treeSum.add(file.entry, fileDigest);
            ledger.done(file.entry, file.sizeBytes(), file.isResumed(), fileDigest);
            onInPlace(file.entry);
        }
        if (ids.length > 0) {
            session.send(new TransferMessage.FilesDone(ids, digests));
        }
        decide();
    }

    private void acknowledge(List<Written> chunks) {
        int count = 0;
        int[] ids = new int[chunks.size()];
        long[] offsets = new long[chunks.size()];
        int[] lengths = new int[chunks.size()];
        for (Written written : chunks) {
            if (written.digest() != null) {
                ids[count] = written.file().id;
                offsets[count] = written.offset();
                lengths[count++] = written.lengthBytes();
                ledger.acknowledged(written.lengthBytes());
            }
        }
        if (count > 0) {
            session.send(new TransferMessage.Acknowledged(
                    Arrays.copyOf(ids, count), Arrays.copyOf(offsets, count), Arrays.copyOf(lengths, count)));
        }
    }

    private void onFileFailed(ReceiverFile file, TransferException why) {
        file.giveUp();
        if (endFile(file.id) == null) {
            return;
        }
        flusher.drop(file, true);
        ledger.failed(file.entry, why.kind(), String.valueOf(why.getMessage()));
        session.send(new TransferMessage.FileFailed(file.id, why.kind().exitCode(), String.valueOf(why.getMessage())));
        if (targets.isFull(why) || why.kind() == FailureKind.HOST_LIMIT) {
            throw why;
        }
    }

    private void onFinish(TransferMessage.Finish end) {
        if (!files.isEmpty() || !comparisons.isEmpty() || !offered.isEmpty()) {
            throw new TransferException(
                    FailureKind.VERSION, session.peer() + " finished before all of its files were complete");
        }
        finish = end;
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
        session.send(finished);
    }

    private void finishTargets() {
        AtomicInteger incomplete = new AtomicInteger();
        AtomicReference<String> first = new AtomicReference<>("");
        targets.finish((path, why) -> {
            if (incomplete.getAndIncrement() == 0) {
                first.set(path.display() + ": " + why.getMessage());
            }
        });
        if (incomplete.get() > 0) {
            warn("directories without their mode or times: " + incomplete + ", the first: " + first);
        }
    }

    @Override
    public TransferMessage.@Nullable Finish finish() {
        return finish;
    }

    @Override
    public TransferMessage.@Nullable Finished finished() {
        return finished;
    }

    @Override
    public LaneHandler onLane(int index, int attempt, Lane lane) {
        int key = laneKeys.getAndIncrement();
        ReceiverLane handler = new ReceiverLane(this, lane, index, key, session, new TreeDigest(digest));
        session.execute(() -> {
            lanes.onJoined(index, key, lane);
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
        decide();
        reportBusyLanes();
        askToReplaceBunchedLanes();
    }

    /**
     * How packets come in, the network decides; a lane that is dialled again comes by another port, and so another way
     * perhaps.
     */
    private void askToReplaceBunchedLanes() {
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

    @Override
    public void close(@Nullable TransferException cause) {
        lanes.closeAll(cause);
        flusher.close();
        for (ReceiverFile file : files.values()) {
            file.giveUp();
            file.end(true);
        }
        files.clear();
        comparisons.values().forEach(Comparison::end);
        comparisons.clear();
        if (deletions != null) {
            deletions.close();
        }
        targets.close();
    }
}
