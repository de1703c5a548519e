package io.fdt.core.transfer;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeDigests;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.transport.Block;
import io.fdt.core.wire.ChunkHeader;

/**
 * A file that is at the target already, with the size that the source has, while the digests of its chunks decide whether it
 * is the same. Lanes read it chunk by chunk as the sender's digests arrive. Thread-safe.
 */
final class Comparison implements AutoCloseable {
    final int id;
    final FileEntry entry;
    private final SourceFile existing;
    private final NodeDigests same;
    private boolean decided;
    private int readers;
    private boolean closed;

    Comparison(int id, FileEntry entry, SourceFile existing, DigestKind digest) {
        this.id = id;
        this.entry = entry;
        this.existing = existing;
        this.same = new NodeDigests(digest);
    }

    /** What a chunk's digest has decided. */
    enum Finding {
        OPEN,
        SAME,
        DIFFERENT
    }

    /** Hashes the chunk that the header names; false if nobody needs it any more. A lane's thread; may block in reading. */
    boolean hash(ChunkHeader header, Block scratch, TreeDigest digest) {
        synchronized (this) {
            if (decided || !NodeDigests.isNode(header.offset(), header.lengthBytes(), entry.sizeBytes())) {
                return false;
            }
            readers++;
        }
        try {
            digest.reset();
            for (int leaf = 0; leaf < header.leaves(); leaf++) {
                int wanted = header.leafBytes(leaf);
                long offset = header.offset() + (long) leaf * TreeDigest.LEAF_BYTES;
                int got = existing.read(scratch.address(), wanted, offset);
                digest.addLeaf(scratch.buffer(), scratch.address(), 0, got);
            }
            return true;
        } finally {
            synchronized (this) {
                readers--;
                closeIfUnused();
            }
        }
    }

    synchronized Finding add(ChunkHeader header, byte[] digest, boolean equal) {
        if (decided) {
            return Finding.OPEN;
        }
        if (equal) {
            same.add(header.offset(), header.lengthBytes(), digest);
            decided = same.coveredBytes() == entry.sizeBytes();
            return decided ? Finding.SAME : Finding.OPEN;
        }
        decided = true;
        return Finding.DIFFERENT;
    }

    synchronized byte[] digest() {
        return same.root();
    }

    /** No lane begins to read any more; the file is closed when the last one has ended. */
    @Override
    public synchronized void close() {
        decided = true;
        closed = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (closed && readers == 0) {
            existing.close();
        }
    }
}
