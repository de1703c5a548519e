package io.fdt.core.transfer.receiving;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.HeapPieces;
import io.fdt.core.budget.Resource;
import io.fdt.core.control.Session;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.RememberedPaths;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.receiving.Flusher.Written;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries that the sender has offered and this side has not settled, within bounds. Decides in order what is needed
 * of them, and tracks the files that are being received. For the session's thread, except for lookups by lanes.
 */
final class OfferedEntries {
    /** Twice what a sender keeps open, so that a correct one never reaches it. */
    private static final int MAX_OPEN_ENTRIES = 65_536;
    /** Four times what a sender may have undecided, and room for the largest entry. */
    private static final long MAX_OFFERED_BYTES = 16L << 20;
    /** With more open, further entries wait: a session must not fill the heap with names and attributes. */
    private static final long MAX_OPEN_BYTES =
            Math.min(32L << 20, Runtime.getRuntime().maxMemory() / 64);
    /** The size of the verdicts in one message: with one more verdict, far below the maximum of a message. */
    private static final int MAX_VERDICTS_BYTES = 256 << 10;
    /** Chunks that arrive almost in order leave some twenty nodes for each file that is being received. */
    private static final int MAX_NODES = 65_536;
    /** With more files that have several names, the digest of the tree is unknown. */
    private static final int MAX_LINKED_DIGESTS = 65_536;

    /** The heap of one of them, besides its path and digest. */
    private static final long LINKED_BYTES = 128;

    private static final byte[] NO_DIGEST = new byte[0];

    private final Receiver receiver;
    private final Session session;
    private final Budget budget;
    /** What is offered or open. */
    private final HeapPieces heap;

    private final Targets targets;
    private final Ledger ledger;
    private final LimitGate limits;
    private final NodeHash digest;
    private final boolean dryRun;
    private final TreeSum treeSum;
    private final Map<Integer, ReceiverFile> files = new ConcurrentHashMap<>();
    private final Map<Integer, Comparison> comparisons = new ConcurrentHashMap<>();
    private final AtomicInteger nodes = new AtomicInteger();

    /** Entries that were offered and are not decided, in order; the last one precedes {@link #nextId}. */
    private final ArrayDeque<FileEntry> offered = new ArrayDeque<>();
    /** The places of {@link #files} and {@link #comparisons}. */
    private final Set<TargetClaims.ClaimedPath> open = new HashSet<>();

    /** Files that are in place and of which later entries may be further names. */
    private final RememberedPaths linkable;

    /** The digests of files that may get further names. */
    private final Map<RawPath, byte[]> digestsOfLinked = new HashMap<>();

    private int nextId;
    private long offeredBytes;
    private long openBytes;

    OfferedEntries(Receiver receiver, SessionParts parts, Targets targets, TreeSum treeSum) {
        this.receiver = receiver;
        this.session = parts.session();
        this.budget = session.budget();
        this.heap = new HeapPieces(budget);
        this.linkable = new RememberedPaths("--preserve hardlinks", "copy in parts", budget);
        this.targets = targets;
        this.ledger = parts.ledger();
        this.limits = parts.limits();
        this.digest = parts.request().hash();
        this.dryRun = parts.request().dryRun();
        this.treeSum = treeSum;
    }

    boolean areSettled() {
        return !areUnderWay() && offered.isEmpty();
    }

    /** Whether there are files whose data is still to arrive. */
    boolean areUnderWay() {
        return !files.isEmpty() || !comparisons.isEmpty();
    }

    /** The number of files that are not durable yet. Thread-safe. */
    int filesUnderWay() {
        return files.size();
    }

    /** For lanes; null if the file is not needed. */
    @Nullable ReceiverFile file(int id) {
        return files.get(id);
    }

    /** For lanes; null if the file is no longer compared. */
    @Nullable Comparison comparison(int id) {
        return comparisons.get(id);
    }

    /** Whether chunks arrive with more gaps than this side can track. Thread-safe. */
    boolean hasTooManyGaps() {
        return nodes.get() > MAX_NODES;
    }

    void onPage(TransferMessage.ManifestPage page) {
        if (page.firstId() != nextId) {
            throw receiver.breach("sent its manifest out of order");
        }
        if (files.size() + comparisons.size() + offered.size() > MAX_OPEN_ENTRIES
                || nextId > Integer.MAX_VALUE - Bounds.MAX_PAGE_ENTRIES) {
            throw receiver.breach("offered more than " + MAX_OPEN_ENTRIES + " files at once");
        }
        long bytes = page.entries().stream().mapToLong(FileEntry::heapBytes).sum();
        if (offeredBytes + bytes > MAX_OFFERED_BYTES) {
            throw receiver.breach("offered more files at once than the receiver can hold");
        }
        heap.take(bytes);
        offered.addAll(page.entries());
        offeredBytes += bytes;
        nextId += page.entries().size();
        decide();
    }

    /** Decides the offered entries in order. An entry whose file must be opened waits until there is room for it. */
    void decide() {
        boolean messageIsFull;
        do {
            messageIsFull = decideSome();
        } while (messageIsFull);
    }

    /** Returns true if there is more to send than fits into one message. */
    private boolean decideSome() {
        int firstId = nextId - offered.size();
        int count = 0;
        int verdictBytes = 0;
        List<Verdict> exceptions = new ArrayList<>();
        for (FileEntry entry = offered.peek();
                entry != null
                        && count < Bounds.MAX_PAGE_ENTRIES
                        && verdictBytes < MAX_VERDICTS_BYTES
                        && openBytes < MAX_OPEN_BYTES
                        && targets.target().hasRoomFor(entry);
                entry = offered.peek()) {
            Verdict verdict = prepare(firstId + count, entry);
            if (verdict != null) {
                addTo(exceptions, verdict);
                verdictBytes += bytesOf(verdict);
            }
            offered.remove();
            offeredBytes -= entry.heapBytes();
            heap.give(entry.heapBytes());
            count++;
        }
        if (count > 0) {
            session.send(new TransferMessage.Verdicts(firstId, count, exceptions));
        }
        return verdictBytes >= MAX_VERDICTS_BYTES;
    }

    /** Characters may take three bytes, numbers nine. */
    private static int bytesOf(Verdict verdict) {
        Failure why = verdict.why();
        return (why == null ? 0 : 3 * why.chars()) + 2 * 9 * verdict.missing().size();
    }

    /** Existing files, which are most files in a second run, are combined into one verdict. */
    private void addTo(List<Verdict> verdicts, Verdict next) {
        Verdict last = verdicts.isEmpty() ? null : verdicts.get(verdicts.size() - 1);
        if (last != null
                && last.kind() == VerdictKind.SKIPPED
                && next.kind() == VerdictKind.SKIPPED
                && last.fileId() + last.count() == next.fileId()) {
            verdicts.set(verdicts.size() - 1, last.longer());
        } else {
            verdicts.add(next);
        }
    }

    /** Null if the entry is needed completely, or was created. */
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
        Outcome outcome;
        try {
            requireLinkable(entry);
            outcome = targets.prepare(entry);
        } catch (TransferException failure) {
            return failed(id, entry, failure);
        }
        return decided(id, entry, outcome);
    }

    /** A job in ranges goes on without the range that another session has: it may belong to a client that is gone. */
    private static boolean endsSession(FileEntry entry, TransferException failure) {
        return failure.kind() == FailureKind.LIMIT || (failure.kind() == FailureKind.BUSY && entry.range() == null);
    }

    /** Null if the entry is needed completely, or was created. */
    private @Nullable Verdict decided(int id, FileEntry entry, Outcome outcome) {
        if (outcome instanceof Outcome.Wanted wanted && !dryRun) {
            return request(id, entry, wanted);
        }
        if (outcome instanceof Outcome.Compare there) {
            return compare(id, entry, there.existing());
        }
        if (outcome instanceof Outcome.Made) {
            addToSum(entry);
            ledger.made(entry);
            return null;
        }
        if (outcome instanceof Outcome.Skipped) {
            ledger.skipped(entry, NO_DIGEST);
            treeSum.addUnknown();
            onInPlace(entry, NO_DIGEST);
            return verdict(id, VerdictKind.SKIPPED);
        }
        boolean replaces = outcome instanceof Outcome.WouldReplace;
        ledger.wouldCopy(entry, replaces);
        onInPlace(entry, NO_DIGEST);
        return verdict(id, replaces ? VerdictKind.WOULD_REPLACE : VerdictKind.WOULD_COPY);
    }

    private void addToSum(FileEntry made) {
        byte[] known = made.isFurtherName() ? digestsOfLinked.get(made.linkTarget()) : NO_DIGEST;
        if (known == null) {
            treeSum.addUnknown();
        } else {
            treeSum.add(made, known);
        }
    }

    /** Other names of the file may follow. */
    private void onInPlace(FileEntry entry, byte[] contentDigest) {
        if (entry.isFirstName()) {
            linkable.add(entry.path());
            if (contentDigest.length > 0 && digestsOfLinked.size() < MAX_LINKED_DIGESTS) {
                long bytes = LINKED_BYTES + entry.path().lengthBytes() + contentDigest.length;
                if (digestsOfLinked.containsKey(entry.path()) || budget.tryTake(Resource.HEAP, bytes)) {
                    digestsOfLinked.put(entry.path(), contentDigest);
                }
            }
        }
    }

    private void requireLinkable(FileEntry entry) {
        RawPath first = entry.linkTarget();
        if (entry.isFurtherName() && first != null && !linkable.contains(first)) {
            throw Cause.TARGET
                    .at(entry.path().display())
                    .failure("is a hard link to " + first.display() + ", which was not copied");
        }
    }

    private void addOpen(FileEntry entry) {
        heap.take(entry.heapBytes());
        open.add(TargetClaims.ClaimedPath.of(entry));
        openBytes += entry.heapBytes();
    }

    private void removeOpen(FileEntry entry) {
        open.remove(TargetClaims.ClaimedPath.of(entry));
        openBytes -= entry.heapBytes();
        heap.give(entry.heapBytes());
    }

    private void requireUnopened(FileEntry entry) {
        if (entry.hasData() && open.contains(TargetClaims.ClaimedPath.of(entry))) {
            throw Cause.REFUSED.at(entry.path().display()).failure("was offered twice");
        }
    }

    /** It could not be prepared: it fails, or the session does if the others would fail, too. */
    private Verdict failed(int id, FileEntry entry, TransferException why) {
        if (endsSession(entry, why)) {
            throw why;
        }
        return fail(id, entry, why);
    }

    private Verdict fail(int id, FileEntry entry, TransferException why) {
        ledger.failed(entry, why.failure());
        return new Verdict(id, VerdictKind.FAILED, List.of(), why.failure());
    }

    private Verdict compare(int id, FileEntry entry, Supplier<SourceFile> existing) {
        Comparison comparison = new Comparison(id, entry, existing, digest, nodes);
        if (entry.sizeBytes() == 0) {
            return keep(comparison);
        }
        comparisons.put(id, comparison);
        addOpen(entry);
        return verdict(id, VerdictKind.COMPARE);
    }

    private Verdict keep(Comparison comparison) {
        try {
            targets.target().keep(comparison.entry);
        } catch (TransferException failure) {
            return failed(comparison.id, comparison.entry, failure);
        }
        byte[] same = comparison.digest();
        ledger.skipped(comparison.entry, same);
        onInPlace(comparison.entry, digest.digestOf(same));
        treeSum.add(comparison.entry, digest.digestOf(same));
        return verdict(comparison.id, VerdictKind.SKIPPED);
    }

    void onCompared(Comparison comparison, boolean same) {
        if (endComparison(comparison.id) == null) {
            return;
        }
        Verdict verdict = same && comparison.isUnchanged() ? keep(comparison) : requestChanged(comparison);
        session.send(new TransferMessage.Verdicts(comparison.id, 1, verdict == null ? List.of() : List.of(verdict)));
    }

    private @Nullable Verdict requestChanged(Comparison comparison) {
        Outcome outcome;
        try {
            outcome = targets.target().prepareChanged(comparison.entry);
        } catch (TransferException failure) {
            return failed(comparison.id, comparison.entry, failure);
        }
        return decided(comparison.id, comparison.entry, outcome);
    }

    private @Nullable Verdict request(int id, FileEntry entry, Outcome.Wanted wanted) {
        if (wanted.dropped() != null) {
            receiver.warn(entry.path().display() + ": starts over, " + wanted.dropped());
        }
        ReceiverFile file =
                new ReceiverFile(id, entry, wanted.file(), digest, wanted.durable(), nodes, ledger.figures().bytesKept);
        files.put(id, file);
        addOpen(entry);
        limits.declare(Math.max(0, entry.sizeBytes() - file.coveredBytes()));
        targets.target().requireRoom(ledger.movedBytes());
        if (file.claimCompletion()) {
            // Empty, or an earlier session made all of it durable.
            receiver.complete(file, new Written(file, 0, 0, null, true));
        }
        if (file.resumedBytes() == 0) {
            return null;
        }
        ledger.resumed(entry, file.coveredBytes());
        List<Range> missing = file.missing();
        if (missing.size() > Bounds.MAX_LIST / 4) {
            missing = List.of(new Range(
                    missing.get(0).offset(), entry.sizeBytes() - missing.get(0).offset()));
        }
        return new Verdict(id, VerdictKind.PART, missing, null);
    }

    private static Verdict verdict(int id, VerdictKind kind) {
        return new Verdict(id, kind, List.of(), null);
    }

    @Nullable Comparison endComparison(int id) {
        Comparison ended = comparisons.remove(id);
        if (ended != null) {
            ended.end();
            removeOpen(ended.entry);
        }
        return ended;
    }

    @Nullable ReceiverFile endFile(int id) {
        ReceiverFile ended = files.remove(id);
        if (ended != null) {
            removeOpen(ended.entry);
        }
        return ended;
    }

    /** The file is durable under its final name. */
    void onPublished(ReceiverFile file, byte[] fileDigest) {
        endFile(file.id);
        String remark = file.target.remark();
        if (remark != null) {
            receiver.warn(remark);
        }
        treeSum.add(file.entry, digest.digestOf(fileDigest));
        ledger.done(file.entry, file.sizeBytes(), file.resumedBytes() > 0, fileDigest);
        onInPlace(file.entry, digest.digestOf(fileDigest));
    }

    /** Gives up what is not complete. */
    void close() {
        for (ReceiverFile file : files.values()) {
            file.giveUp();
            file.end(true);
        }
        files.clear();
        comparisons.values().forEach(Comparison::end);
        comparisons.clear();
        linkable.close();
        digestsOfLinked.forEach(
                (path, kept) -> budget.give(Resource.HEAP, LINKED_BYTES + path.lengthBytes() + kept.length));
        digestsOfLinked.clear();
        heap.close();
        offered.clear();
        offeredBytes = 0;
        openBytes = 0;
    }
}
