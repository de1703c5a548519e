package io.fdt.core.transfer.sending;

import io.fdt.core.control.Session;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.TransferMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The manifest as the sender offers it: the entries of its walk in pages, as many at once as the receiver can hold
 * while it decides, and, when mirroring, the paths that are left out. For the session's thread.
 */
final class ManifestPages {
    private static final long MAX_QUEUED_MESSAGE_BYTES = 4L << 20;
    private static final int MAX_PAGE_BYTES = 128 * 1024;
    /** The size of undecided pages, which the receiver must hold while its disk is slow. */
    private static final long MAX_UNDECIDED_BYTES = 4L << 20;

    private static final int ENTRY_OVERHEAD_BYTES = 64;
    private static final long PAGE_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Sender sender;
    private final Session session;
    private final Sources sources;
    private final Ledger ledger;
    private final LimitGate limits;
    private final TransferFigures figures;
    private final boolean keepsHardLinks;
    private final @Nullable Mirror mirror;

    /** Further names of files; they come last, when the files are in place. */
    private final ArrayDeque<FileEntry> furtherNames = new ArrayDeque<>();

    /** Paths not yet sent to the receiver. */
    private final List<RawPath> leftOut = new ArrayList<>();

    private int leftOutBytes;

    /** Pages that the receiver has not decided, in order. */
    private final ArrayDeque<OfferedPage> undecided = new ArrayDeque<>();

    private long undecidedBytes;
    private int nextId;
    private boolean walkEnded;

    private record OfferedPage(int firstId, long bytes) {}

    ManifestPages(Sender sender, SessionParts parts, Sources sources) {
        this.sender = sender;
        this.session = parts.session();
        this.sources = sources;
        this.ledger = parts.ledger();
        this.limits = parts.limits();
        this.figures = parts.figures();
        this.keepsHardLinks = parts.request().preserves(Preserve.HARDLINKS);
        this.mirror = parts.request().find(CopyValue.MIRROR);
    }

    boolean isWalked() {
        return walkEnded;
    }

    boolean isOffered() {
        return furtherNames.isEmpty();
    }

    /** Offers the next entries; false while the receiver has enough to decide, or is not there. */
    boolean sendPage() {
        if (session.hasLostClient()
                || undecidedBytes > MAX_UNDECIDED_BYTES
                || session.queuedBytes() > MAX_QUEUED_MESSAGE_BYTES) {
            return false;
        }
        int firstId = nextId;
        List<FileEntry> page = session.budget().inTurn(this::nextPage);
        if (!page.isEmpty()) {
            long pageBytes = page.stream().mapToLong(FileEntry::heapBytes).sum();
            undecided.add(new OfferedPage(firstId, pageBytes));
            undecidedBytes += pageBytes;
            session.send(new TransferMessage.ManifestPage(firstId, page));
        }
        return true;
    }

    private List<FileEntry> nextPage() {
        List<FileEntry> page = new ArrayList<>();
        long pageBytes = 0;
        long sliceEnd = session.clock().nanoTime() + PAGE_SLICE_NANOS;
        while (page.size() < Bounds.MAX_PAGE_ENTRIES && pageBytes < MAX_PAGE_BYTES) {
            FileEntry entry = walkEnded ? furtherNames.poll() : sources.next();
            if (entry == null) {
                if (!walkEnded) {
                    endWalk();
                }
                break;
            }
            if (!walkEnded) {
                limits.countEntry();
                ledger.found(entry);
                if (entry.isFurtherName()) {
                    furtherNames.add(entry);
                    if (session.clock().nanoTime() > sliceEnd) {
                        break;
                    }
                    continue;
                }
            }
            page.add(entry);
            sender.onOffered(nextId, entry);
            nextId++;
            pageBytes += entry.heapBytes();
            if (session.clock().nanoTime() > sliceEnd) {
                break;
            }
        }
        return page;
    }

    private void endWalk() {
        walkEnded = true;
        figures.totalsFinal = true;
        long skipped = sources.skippedCount();
        if (skipped > 1) {
            sender.warn("skipped " + skipped + " entries that are not copied, each named above");
        }
        long copied = sources.furtherNamesCopied();
        if (copied > 0) {
            sender.warn(copied + (copied == 1 ? " file is a hard link" : " files are hard links")
                    + " to another file of this copy and "
                    + (copied == 1 ? "is copied as a separate file; " : "are copied as separate files; ")
                    + (keepsHardLinks ? "they are too many to remember" : "--preserve hardlinks keeps them linked"));
        }
    }

    /** The receiver has decided these, which begin with a page's first. */
    void onDecided(int firstId, int end) {
        if (firstId < 0 || end < firstId || end > nextId) {
            throw notOffered();
        }
        OfferedPage oldest = undecided.peek();
        if (oldest != null && oldest.firstId == firstId) {
            undecidedBytes -= undecided.remove().bytes;
        }
    }

    TransferException notOffered() {
        return sender.breach("answered for entries that were not offered");
    }

    /**
     * The source has this path and does not offer it, so that a mirror does not delete it.
     *
     * @param bySelection and not because it cannot be copied
     */
    void onLeftOut(RawPath path, boolean bySelection) {
        if (mirror != null && !(bySelection && mirror.deletesExcluded())) {
            leftOut.add(path);
            leftOutBytes += ENTRY_OVERHEAD_BYTES + path.lengthBytes();
            if (leftOutBytes > MAX_PAGE_BYTES) {
                sendLeftOut();
            }
        }
    }

    void sendLeftOut() {
        if (!leftOut.isEmpty()) {
            session.send(new TransferMessage.LeftOut(List.copyOf(leftOut)));
            leftOut.clear();
            leftOutBytes = 0;
        }
    }
}
