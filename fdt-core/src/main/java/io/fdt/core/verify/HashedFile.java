package io.fdt.core.verify;

import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.NodeDigests;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.ReadBuffer;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.wire.Bounds;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One file that is being hashed. Any threads hash its chunks in any order; the first opens the file, the last closes it
 * and reports the result. For a hash over the bytes in order, the whole file is one chunk. Thread-safe.
 */
final class HashedFile {
    static final int CHUNK_BYTES = Bounds.MAX_CHUNK_BYTES;

    private final FileEntry entry;
    private final Listing listing;
    private final HashThreads threads;
    private final RunningTotals totals;
    private final Consumer<SourceFile> opened;
    private final AtomicLong chunksLeft;
    private final CompletableFuture<CheckedEntry> result = new CompletableFuture<>();
    private final byte[] onlyChunk;
    private final @Nullable NodeDigests nodes;
    private @Nullable SourceFile file;
    private @Nullable TransferException failure;

    /** @param opened receives the file when it is open and nothing has been read yet */
    HashedFile(
            FileEntry entry, Listing listing, HashThreads threads, RunningTotals totals, Consumer<SourceFile> opened) {
        this.entry = entry;
        this.listing = listing;
        this.threads = threads;
        this.totals = totals;
        this.opened = opened;
        NodeHash each = threads.nodes();
        long chunks = each == null ? 1 : Math.max(1, (entry.sizeBytes() + CHUNK_BYTES - 1) / CHUNK_BYTES);
        this.chunksLeft = new AtomicLong(chunks);
        this.onlyChunk = new byte[threads.kind().lengthBytes()];
        this.nodes = chunks > 1 && each != null ? new NodeDigests(each) : null;
    }

    CompletableFuture<CheckedEntry> result() {
        return result;
    }

    /** Submits all chunks to the threads; waits while they have enough tasks. */
    void submitChunks() throws InterruptedException {
        long chunks = chunksLeft.get();
        for (long index = 0; index < chunks; index++) {
            long offset = index * CHUNK_BYTES;
            int length = (int) Math.min(CHUNK_BYTES, entry.sizeBytes() - offset);
            try {
                threads.submit(new Chunk(offset, length));
            } catch (InterruptedException atTheEnd) {
                giveUp(chunks - index);
                throw atTheEnd;
            }
        }
    }

    private final class Chunk implements HashThreads.Task {
        private final long offset;
        private final int lengthBytes;

        Chunk(long offset, int lengthBytes) {
            this.offset = offset;
            this.lengthBytes = lengthBytes;
        }

        @Override
        public void run(ReadBuffer buffer, TreeDigest tree) {
            try {
                SourceFile source = threads.budget().inTurn(HashedFile.this::openOnce);
                if (source != null && threads.nodes() == null && threads.kind() instanceof FileHash hash) {
                    addAll(source, hash.begin(), buffer);
                } else if (source != null) {
                    addChunk(source, offset, lengthBytes, buffer, tree);
                }
            } catch (RuntimeException | Error e) {
                fail(TransferException.of(e));
            }
            chunksDone(1);
        }

        @Override
        public void drop() {
            giveUp(1);
        }
    }

    /** These chunks will not be hashed. */
    private void giveUp(long chunks) {
        fail(notReadToItsEnd());
        chunksDone(chunks);
    }

    private TransferException notReadToItsEnd() {
        return Cause.INTERRUPTED.at(entry.path().display()).failure("not read to its end");
    }

    private void chunksDone(long chunks) {
        if (chunksLeft.addAndGet(-chunks) == 0) {
            finish();
        }
    }

    /** The open file; null if it has already failed. */
    private synchronized @Nullable SourceFile openOnce() {
        if (failure == null && file == null) {
            SourceFile source = listing.open(entry);
            file = source;
            opened.accept(source);
        }
        return failure == null ? file : null;
    }

    private synchronized void fail(TransferException why) {
        if (failure == null) {
            failure = why;
        }
    }

    private void addChunk(SourceFile source, long offset, int lengthBytes, ReadBuffer buffer, TreeDigest tree) {
        tree.reset();
        int leaves = (lengthBytes + TreeDigest.LEAF_BYTES - 1) / TreeDigest.LEAF_BYTES;
        long present = source.presentLeaves(offset, leaves, TreeDigest.LEAF_BYTES);
        if (present == 0 && TreeDigest.isSubtree(lengthBytes)) {
            tree.addZeroSubtree(lengthBytes);
            totals.hashed(lengthBytes);
        } else {
            addLeaves(source, offset, lengthBytes, present, buffer, tree);
        }
        if (nodes == null) {
            tree.finish(onlyChunk);
        } else {
            byte[] digest = tree.finish();
            synchronized (this) {
                nodes.add(offset, lengthBytes, digest);
            }
        }
    }

    private void addLeaves(
            SourceFile source, long offset, int lengthBytes, long present, ReadBuffer buffer, TreeDigest tree) {
        int at = 0;
        while (at < lengthBytes) {
            if (threads.isClosed()) {
                throw notReadToItsEnd();
            }
            int leaf = at / TreeDigest.LEAF_BYTES;
            int run = presentRun(present >>> leaf);
            int length = Math.min(Math.max(1, run) * TreeDigest.LEAF_BYTES, lengthBytes - at);
            if (run == 0) {
                tree.addZeroLeaf(length);
            } else {
                long from = offset + at;
                threads.pace(length);
                threads.budget().runInTurn(() -> readLeaves(source, from, length, buffer, tree));
            }
            totals.hashed(length);
            at += length;
        }
    }

    private void addAll(SourceFile source, FileHash.Running hash, ReadBuffer buffer) {
        long at = 0;
        while (at < entry.sizeBytes()) {
            if (threads.isClosed()) {
                throw notReadToItsEnd();
            }
            int length = (int) Math.min(HashThreads.BUFFER_BYTES, entry.sizeBytes() - at);
            long from = at;
            threads.pace(length);
            threads.budget().runInTurn(() -> {
                read(source, from, length, buffer);
                hash.update().accept(buffer.bytes().limit(length).position(0));
            });
            totals.hashed(length);
            at += length;
        }
        byte[] digest = hash.finish().get();
        System.arraycopy(digest, 0, onlyChunk, 0, digest.length);
    }

    /** The number of consecutive leaves with data from the first bit on, as far as the buffer goes. */
    private static int presentRun(long bits) {
        return Math.min(Long.numberOfTrailingZeros(~bits), HashThreads.BUFFER_BYTES / TreeDigest.LEAF_BYTES);
    }

    private void readLeaves(SourceFile source, long offset, int lengthBytes, ReadBuffer buffer, TreeDigest tree) {
        read(source, offset, lengthBytes, buffer);
        for (int position = 0; position < lengthBytes; position += TreeDigest.LEAF_BYTES) {
            int length = Math.min(TreeDigest.LEAF_BYTES, lengthBytes - position);
            tree.addLeaf(buffer.bytes(), buffer.address(), position, length);
        }
    }

    private void read(SourceFile source, long offset, int lengthBytes, ReadBuffer buffer) {
        buffer.bytes().clear();
        if (source.read(buffer.address(), lengthBytes, offset) < lengthBytes) {
            throw Cause.CHANGED.at(entry.path().display()).failure("has become shorter while it was read");
        }
    }

    private synchronized void finish() {
        try (SourceFile source = file) {
            if (source != null && failure == null && !source.unchanged()) {
                fail(Cause.CHANGED.at(entry.path().display()).failure("has changed while it was read"));
            }
        } catch (RuntimeException e) {
            // The failure is reported, and the thread continues with the next file.
            fail(TransferException.of(e));
        }
        totals.fileDone();
        TransferException why = failure;
        result.complete(
                why == null
                        ? CheckedEntry.found(entry, nodes == null ? onlyChunk : nodes.root())
                        : CheckedEntry.unreadable(entry, why));
    }
}
