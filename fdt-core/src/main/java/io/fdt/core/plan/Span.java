package io.fdt.core.plan;

import org.jspecify.annotations.Nullable;

/** A range of one file of which nothing is claimed. Guarded by the queue's lock. */
final class Span {
    /** What a file costs beside its bytes: naming it takes about as long as writing this many. */
    static final long FILE_COST_BYTES = 128 << 10;

    final QueuedFile file;
    private long offset;
    private long end;

    Span(QueuedFile file, long offset, long end) {
        this.file = file;
        this.offset = offset;
        this.end = end;
        file.spans++;
    }

    boolean isEmpty() {
        return offset == end;
    }

    boolean isWholeFile() {
        return offset == 0 && end == file.sizeBytes;
    }

    long lengthBytes() {
        return end - offset;
    }

    long costBytes() {
        return lengthBytes() + FILE_COST_BYTES;
    }

    /** Takes the largest node of the hash tree at the beginning, of at most this length, a power of two. */
    Chunk take(int maxBytes, int leafBytes) {
        int length = maxBytes;
        while (length > leafBytes && offset % length != 0) {
            length /= 2;
        }
        if (end != file.sizeBytes) {
            while (length > leafBytes && offset + length > end) {
                length /= 2;
            }
        }
        length = (int) Math.min(length, end - offset);
        Chunk chunk = new Chunk(file.id, offset, length);
        offset += length;
        if (offset == end) {
            file.spans--;
        }
        return chunk;
    }

    /** Cuts off everything after about this many bytes, at a multiple of a chunk; null if that leaves nothing. */
    @Nullable Span cutAfter(long bytes, int chunkBytes) {
        long cut = (offset + Math.max(1, bytes) + chunkBytes - 1) / chunkBytes * chunkBytes;
        if (cut >= end) {
            return null;
        }
        Span rest = new Span(file, cut, end);
        end = cut;
        return rest;
    }
}
