package io.fdt.core.transfer.receiving;

import io.fdt.core.digest.NodeDigests;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.TargetFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A file on the receiving side: the chunks that have arrived, those that are being received and by which grant, and its
 * digest. Thread-safe; its monitor guards this state, and is never held during a write.
 */
final class ReceiverFile {
    final int id;
    final FileEntry entry;
    final TargetFile target;
    private final NodeDigests nodes;
    private final AtomicInteger sessionNodes;
    private final Map<Long, WriteGrant> active = new HashMap<>(2);
    private long sizeBytes;
    private final long resumedBytes;
    private final int resumedNodes;
    private boolean settled;
    /** It has its final name or was given up: the target is closed. For the flusher's thread. */
    boolean ended;
    /** It has its final name. For the flusher's thread. */
    private boolean published;

    /** What this session has acknowledged. For the session's thread. */
    long movedBytes;

    private final AtomicLong sessionKeeps;
    /** What a later session would resume. */
    private long keptBytes;

    /**
     * @param durable what the journal shows as durable
     * @param sessionNodes counts the nodes that the session's unsettled files have in memory beyond those of their
     *     journals
     * @param sessionKeeps counts what later sessions will resume
     */
    ReceiverFile(
            int id,
            FileEntry entry,
            TargetFile target,
            NodeHash digest,
            List<ChunkRecord> durable,
            AtomicInteger sessionNodes,
            AtomicLong sessionKeeps) {
        this.id = id;
        this.entry = entry;
        this.target = target;
        this.sizeBytes = entry.sizeBytes();
        this.nodes = new NodeDigests(digest);
        this.sessionNodes = sessionNodes;
        this.sessionKeeps = sessionKeeps;
        for (ChunkRecord record : durable) {
            if (NodeDigests.isNode(record.offset(), record.lengthBytes(), sizeBytes)) {
                nodes.add(record.offset(), record.lengthBytes(), record.digest());
            }
        }
        this.resumedBytes = nodes.coveredBytes();
        this.resumedNodes = nodes.count();
        keep(resumedBytes);
    }

    private synchronized void keep(long bytes) {
        keptBytes += bytes;
        sessionKeeps.addAndGet(bytes);
    }

    private synchronized void keepNothing() {
        keep(-keptBytes);
    }

    /** Records chunks that are durable. On the flusher's thread. */
    void record(List<ChunkRecord> chunks) {
        if (target.record(chunks)) {
            keep(chunks.stream().mapToLong(ChunkRecord::lengthBytes).sum());
        }
    }

    /** What an earlier session moved. */
    long resumedBytes() {
        return resumedBytes;
    }

    synchronized long coveredBytes() {
        return nodes.coveredBytes();
    }

    synchronized long sizeBytes() {
        return sizeBytes;
    }

    /** The ranges that are not known yet, in order. */
    synchronized List<Range> missing() {
        List<Range> missing = new ArrayList<>();
        long[] end = new long[1];
        nodes.forEachNode((offset, lengthBytes) -> {
            if (offset > end[0]) {
                missing.add(new Range(end[0], offset - end[0]));
            }
            end[0] = offset + lengthBytes;
        });
        if (end[0] < sizeBytes) {
            missing.add(new Range(end[0], sizeBytes - end[0]));
        }
        return missing;
    }

    /** Whether such a chunk can be a part of this file; a peer that sends another one violates the protocol. */
    synchronized boolean allows(long offset, int lengthBytes) {
        // Any chunk of a stream may be the last one, and be cut off by the end.
        long end = sizeBytes == FileEntry.UNKNOWN_SIZE ? offset + lengthBytes : sizeBytes;
        return NodeDigests.isNode(offset, lengthBytes, end);
    }

    /**
     * The right to write the chunk; null if a part of it has arrived, a newer attempt owns a part of it, or the file is
     * no longer needed. It revokes the grants of older attempts, of which it may be a piece, and returns once they
     * write no more: whoever revokes this one waits for them, too.
     */
    @Nullable WriteGrant begin(long offset, int lengthBytes, int attempt) {
        WriteGrant grant = new WriteGrant(offset, lengthBytes, attempt);
        synchronized (grant) {
            List<WriteGrant> older = replaced(grant);
            if (older != null) {
                older.forEach(WriteGrant::revoke);
            }
            return older == null ? null : grant;
        }
    }

    /** Enters the grant in place of older ones; returns those, or null if it must not be entered. */
    private synchronized @Nullable List<WriteGrant> replaced(WriteGrant grant) {
        if (settled || nodes.touches(grant.offset, grant.lengthBytes)) {
            return null;
        }
        List<WriteGrant> older = List.of();
        for (WriteGrant other : active.values()) {
            if (other.overlaps(grant)) {
                if (other.attempt >= grant.attempt) {
                    return null;
                }
                older = older.isEmpty() ? new ArrayList<>() : older;
                older.add(other);
            }
        }
        older.forEach(this::cancel);
        active.put(grant.offset, grant);
        return older;
    }

    /** The chunk has arrived and verified; false if the grant was revoked meanwhile. */
    synchronized boolean end(WriteGrant grant, byte[] digest) {
        if (settled || !active.remove(grant.offset, grant) || !allows(grant.offset, grant.lengthBytes)) {
            return false;
        }
        int before = nodes.count();
        boolean added = nodes.add(grant.offset, grant.lengthBytes, digest);
        sessionNodes.addAndGet(nodes.count() - before);
        return added;
    }

    /** The chunk did not verify or its lane was lost. */
    synchronized void cancel(WriteGrant grant) {
        active.remove(grant.offset, grant);
    }

    /** The stream ends here; false if it is not a stream, has already ended, or what arrived does not end here. */
    synchronized boolean endStream(long endBytes) {
        if (sizeBytes != FileEntry.UNKNOWN_SIZE) {
            return false;
        }
        boolean[] fits = {true};
        nodes.forEachNode((offset, lengthBytes) -> fits[0] &= NodeDigests.isNode(offset, lengthBytes, endBytes));
        if (fits[0]) {
            sizeBytes = endBytes;
        }
        return fits[0];
    }

    /** Whether all bytes are there; true only once, so that one caller completes the file. */
    synchronized boolean claimCompletion() {
        if (settled || sizeBytes == FileEntry.UNKNOWN_SIZE || nodes.coveredBytes() != sizeBytes) {
            return false;
        }
        settle();
        nodes.collapse();
        return true;
    }

    private void settle() {
        settled = true;
        sessionNodes.addAndGet(resumedNodes - nodes.count());
    }

    /** The file is no longer needed: later frames are discarded. False if it was already settled. */
    boolean giveUp() {
        List<WriteGrant> writers;
        synchronized (this) {
            if (settled) {
                return false;
            }
            settle();
            writers = new ArrayList<>(active.values());
        }
        writers.forEach(WriteGrant::revoke);
        return true;
    }

    /** Gives it its final name. On the flusher's thread. */
    void publish() {
        if (entry.range() != null) {
            target.setDigest(digest());
        }
        target.publish();
        ended = true;
        published = true;
        keepNothing();
        target.close();
    }

    /** Whether nothing that was written to it counts any more. On the flusher's thread. */
    boolean isGivenUp() {
        return ended && !published;
    }

    /** Gives the target up, unless it has its final name. On the flusher's thread, or after its end. */
    void end(boolean keepForResume) {
        if (!ended) {
            ended = true;
            boolean keeps = keepForResume;
            try {
                keeps = target.abandon(keepForResume);
            } catch (InternalError pageRefused) {
                // Java reports late that a full file system has no room for the journal's page. All that is lost is its
                // stamp, so the next session hashes the data.
                target.abandon(keepForResume);
            } finally {
                if (!keeps) {
                    keepNothing();
                }
                target.close();
            }
        }
    }

    synchronized byte[] digest() {
        return nodes.root();
    }
}
