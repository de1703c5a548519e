package io.fdt.core.plan;

import org.jspecify.annotations.Nullable;

/** A file in the {@link ChunkQueue}: what of it is not claimed, and its claims. Guarded by the queue's lock. */
final class QueuedFile {
    final int id;
    final long sizeBytes;
    /** The number of its spans that are not claimed as a whole. */
    int spans;
    /** Nothing of it is needed any more; spans that refer to it are skipped. */
    boolean givenUp;
    /** The first of its claims that are not acknowledged. */
    @Nullable Claim claims;
    /** The number of its chunks that wait to be sent again. */
    int again;

    /** The length of a stream's chunks; 0 for a file whose size is known. */
    int streamChunkBytes;

    long streamOffset;

    QueuedFile(int id, long sizeBytes) {
        this.id = id;
        this.sizeBytes = sizeBytes;
    }

    boolean isStream() {
        return streamChunkBytes != 0;
    }

    boolean isOver() {
        return spans == 0 && claims == null && again == 0 && !isStream();
    }

    Chunk nextOfStream() {
        int length = streamChunkBytes;
        while (streamOffset % length != 0) {
            length /= 2;
        }
        Chunk chunk = new Chunk(id, streamOffset, length);
        streamOffset += length;
        return chunk;
    }

    void add(Claim claim) {
        Claim first = claims;
        claim.next = first;
        claim.previous = null;
        if (first != null) {
            first.previous = claim;
        }
        claims = claim;
    }

    void remove(Claim claim) {
        Claim previous = claim.previous;
        Claim next = claim.next;
        if (previous == null) {
            claims = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
    }

    /** A chunk that a lane sends, in the list of its file's claims. */
    static final class Claim {
        final QueuedFile file;
        final Chunk chunk;
        final int lane;

        @Nullable Claim previous;

        @Nullable Claim next;

        Claim(QueuedFile file, Chunk chunk, int lane) {
            this.file = file;
            this.chunk = chunk;
            this.lane = lane;
        }
    }
}
