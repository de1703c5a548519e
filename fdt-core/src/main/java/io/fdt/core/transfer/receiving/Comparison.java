package io.fdt.core.transfer.receiving;

import io.fdt.core.digest.NodeDigests;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.transport.Block;
import io.fdt.core.wire.ChunkHeader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A file that exists at the target with the size of the source, while the digests of its chunks determine whether it is
 * the same. Lanes read it chunk by chunk as the sender's digests arrive, and open it for each chunk, so any number of
 * files may wait for their digests. Thread-safe.
 */
final class Comparison {
    final int id;
    final FileEntry entry;
    private final Supplier<SourceFile> existing;
    private final NodeDigests same;
    private final AtomicInteger sessionNodes;
    private boolean decided;

    /** @param sessionNodes counts the nodes that the session's files have in memory */
    Comparison(int id, FileEntry entry, Supplier<SourceFile> existing, NodeHash digest, AtomicInteger sessionNodes) {
        this.id = id;
        this.entry = entry;
        this.existing = existing;
        this.same = new NodeDigests(digest);
        this.sessionNodes = sessionNodes;
    }

    /** The result after a chunk's digest. */
    enum Finding {
        OPEN,
        SAME,
        DIFFERENT
    }

    /**
     * Hashes the chunk that the header names; false if it is not needed, or was compared already. On a lane's thread;
     * may block in reading.
     */
    boolean hash(ChunkHeader header, Block scratch, TreeDigest digest) {
        try (@Nullable SourceFile opened = open(header)) {
            if (opened == null) {
                return false;
            }
            digest.reset();
            for (int leaf = 0; leaf < header.leaves(); leaf++) {
                int wanted = header.leafBytes(leaf);
                long offset = header.offset() + (long) leaf * TreeDigest.LEAF_BYTES;
                int got = opened.read(scratch.address(), wanted, offset);
                digest.addLeaf(scratch.buffer(), scratch.address(), 0, got);
            }
            return true;
        }
    }

    private synchronized @Nullable SourceFile open(ChunkHeader header) {
        boolean needed = !decided
                && NodeDigests.isNode(header.offset(), header.lengthBytes(), entry.sizeBytes())
                && !same.touches(header.offset(), header.lengthBytes());
        return needed ? existing.get() : null;
    }

    synchronized Finding add(ChunkHeader header, byte[] digest, boolean equal) {
        if (decided) {
            return Finding.OPEN;
        }
        if (!equal) {
            decide();
            return Finding.DIFFERENT;
        }
        int before = same.count();
        same.add(header.offset(), header.lengthBytes(), digest);
        sessionNodes.addAndGet(same.count() - before);
        if (same.coveredBytes() < entry.sizeBytes()) {
            return Finding.OPEN;
        }
        decide();
        return Finding.SAME;
    }

    private void decide() {
        decided = true;
        sessionNodes.addAndGet(-same.count());
    }

    /** Whether the compared file still exists and has not been written to meanwhile. */
    boolean isUnchanged() {
        try {
            existing.get().close();
            return true;
        } catch (TransferException changed) {
            return false;
        }
    }

    synchronized byte[] digest() {
        return same.root();
    }

    /** No lane opens the file from now on. */
    synchronized void end() {
        if (!decided) {
            decide();
        }
    }
}
