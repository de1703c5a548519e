package io.fdt.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one place from which all lanes of a session claim their work. A slow lane claims less, the chunks of a dead
 * lane come back: load balancing, stragglers and fault recovery are this one mechanism. Files are cut into chunks only when
 * they are claimed, in the order in which they were added; chunks that come back go first.
 *
 * <p>Thread-safe: one lock, held for a few map operations a chunk. A lane that finds nothing leaves a wake-up
 * call, which is made, once and outside the lock, when there is work again.
 */
public final class ChunkQueue {
    private final int chunkBytes;
    private final int leafBytes;

    private final ArrayDeque<Cursor> files = new ArrayDeque<>();
    private final ArrayDeque<Chunk> again = new ArrayDeque<>();
    private final Map<ChunkId, Claim> claims = new HashMap<>();
    private final Map<Integer, Runnable> sleepers = new HashMap<>();

    private record ChunkId(int fileId, long offset) {}

    private record Claim(Chunk chunk, int lane) {}

    private final Map<Integer, Long> acknowledgements = new HashMap<>();

    private boolean closed;

    /**
     * @param chunkBytes a power of two times {@code leafBytes}
     * @param leafBytes the smallest chunk but for ends of files
     */
    public ChunkQueue(int chunkBytes, int leafBytes) {
        if (Integer.bitCount(chunkBytes) != 1 || Integer.bitCount(leafBytes) != 1 || chunkBytes < leafBytes) {
            throw new IllegalArgumentException(
                    "chunk and leaf must be powers of two: " + chunkBytes + ", " + leafBytes);
        }
        this.chunkBytes = chunkBytes;
        this.leafBytes = leafBytes;
    }

    /** Adds the ranges of a file that are missing at the target; they are in order and do not overlap. */
    public void add(int fileId, long sizeBytes, List<Range> missing) {
        if (missing.isEmpty()) {
            return;
        }
        wakeAfter(() -> files.addLast(new Cursor(fileId, sizeBytes, missing)));
    }

    /** Adds a stream: chunks of this length, one after the other, until {@link #endStream}. */
    public void addStream(int fileId, int lengthBytes) {
        wakeAfter(() -> files.addLast(new Cursor(fileId, lengthBytes)));
    }

    /** Nothing more is claimed of a stream. Returns the offset up to which it was claimed. */
    public synchronized long endStream(int fileId) {
        for (Cursor cursor : files) {
            if (cursor.fileId == fileId) {
                files.remove(cursor);
                return cursor.offset;
            }
        }
        return -1;
    }

    /**
     * Claims the next chunk for a lane.
     *
     * @param wake run when there may be work again, if there is none now
     * @return null if there is none now
     */
    public synchronized @Nullable Chunk claim(int lane, Runnable wake) {
        if (closed) {
            return null;
        }
        Chunk chunk = again.pollFirst();
        while (chunk == null) {
            Cursor cursor = files.peekFirst();
            if (cursor == null) {
                sleepers.put(lane, wake);
                return null;
            }
            chunk = cursor.next();
            if (cursor.isEmpty()) {
                files.removeFirst();
            }
        }
        claims.put(new ChunkId(chunk.fileId(), chunk.offset()), new Claim(chunk, lane));
        return chunk;
    }

    /** The chunk is durable at the target; null if it was not outstanding (a duplicate, or its file is given up). */
    public synchronized @Nullable Chunk acknowledge(int fileId, long offset) {
        Claim claim = claims.remove(new ChunkId(fileId, offset));
        if (claim != null) {
            acknowledgements.merge(claim.lane, 1L, Long::sum);
            return claim.chunk;
        }
        // It may have been put back when its lane died, although it had arrived.
        for (Chunk chunk : again) {
            if (chunk.fileId() == fileId && chunk.offset() == offset) {
                again.remove(chunk);
                return chunk;
            }
        }
        return null;
    }

    /** A claimed chunk did not arrive intact: it is sent again. False if it is not outstanding. */
    public boolean sendAgain(int fileId, long offset) {
        boolean[] found = new boolean[1];
        wakeAfter(() -> {
            Claim claim = claims.remove(new ChunkId(fileId, offset));
            if (claim != null) {
                again.addLast(claim.chunk.nextAttempt());
                found[0] = true;
            }
        });
        return found[0];
    }

    /** A lane is gone: what it had claimed and was not acknowledged goes to the others. Returns how many chunks. */
    public int returnClaims(int lane) {
        int[] count = new int[1];
        wakeAfter(() -> {
            var each = claims.values().iterator();
            while (each.hasNext()) {
                Claim claim = each.next();
                if (claim.lane == lane) {
                    each.remove();
                    again.addLast(claim.chunk.nextAttempt());
                    count[0]++;
                }
            }
        });
        return count[0];
    }

    /** How many of a lane's chunks were acknowledged so far. */
    public synchronized long acknowledged(int lane) {
        return acknowledgements.getOrDefault(lane, 0L);
    }

    /** Whether the lane has claimed chunks that are not acknowledged. */
    public synchronized boolean hasClaims(int lane) {
        for (Claim claim : claims.values()) {
            if (claim.lane == lane) {
                return true;
            }
        }
        return false;
    }

    /** A claimed chunk turned out to hold nothing (the end of a stream): it is no longer outstanding. */
    public synchronized void withdraw(Chunk chunk) {
        if (isOutstanding(chunk)) {
            claims.remove(new ChunkId(chunk.fileId(), chunk.offset()));
        }
    }

    /** Whether this claim still stands. An equal one may, after the file was given up and added again. */
    @SuppressWarnings("ReferenceEquality")
    public synchronized boolean isOutstanding(Chunk claimed) {
        Claim claim = claims.get(new ChunkId(claimed.fileId(), claimed.offset()));
        return claim != null && claim.chunk == claimed;
    }

    /** Nothing more of this file is to be moved. */
    public synchronized void giveUp(int fileId) {
        files.removeIf(cursor -> cursor.fileId == fileId);
        again.removeIf(chunk -> chunk.fileId() == fileId);
        claims.keySet().removeIf(id -> id.fileId == fileId);
    }

    /** Nothing is claimed any more, of no file: whoever asks goes away empty-handed, and is not called again. */
    public synchronized void close() {
        closed = true;
        sleepers.clear();
    }

    public synchronized int outstandingChunks() {
        return claims.size() + again.size();
    }

    public synchronized boolean isDrained() {
        return claims.isEmpty() && again.isEmpty() && files.isEmpty();
    }

    private void wakeAfter(Runnable change) {
        List<Runnable> wakeUps = List.of();
        synchronized (this) {
            change.run();
            if (!sleepers.isEmpty() && !(files.isEmpty() && again.isEmpty())) {
                wakeUps = new ArrayList<>(sleepers.values());
                sleepers.clear();
            }
        }
        wakeUps.forEach(Runnable::run);
    }

    /** The rest of one file that has not been claimed yet. */
    private final class Cursor {
        final int fileId;
        final long sizeBytes;
        final ArrayDeque<Range> missing;
        final int streamChunkBytes;
        long offset;

        Cursor(int fileId, long sizeBytes, List<Range> missing) {
            this.fileId = fileId;
            this.sizeBytes = sizeBytes;
            this.missing = new ArrayDeque<>(missing);
            this.streamChunkBytes = 0;
            this.offset = missing.get(0).offset();
        }

        Cursor(int fileId, int streamChunkBytes) {
            this.fileId = fileId;
            this.sizeBytes = Long.MAX_VALUE;
            this.missing = new ArrayDeque<>();
            this.streamChunkBytes = streamChunkBytes;
        }

        boolean isEmpty() {
            return streamChunkBytes == 0 && missing.isEmpty();
        }

        Chunk next() {
            if (streamChunkBytes != 0) {
                Chunk chunk = new Chunk(fileId, offset, streamChunkBytes, 0);
                offset += streamChunkBytes;
                return chunk;
            }
            long end = missing.getFirst().end();
            int length = lengthAt(offset, end);
            Chunk chunk = new Chunk(fileId, offset, length, 0);
            offset += length;
            if (offset == end) {
                missing.removeFirst();
                if (!missing.isEmpty()) {
                    offset = missing.getFirst().offset();
                }
            }
            return chunk;
        }

        /** The largest node of the hash tree that starts here and ends no later than {@code end}. */
        private int lengthAt(long start, long end) {
            int length = chunkBytes;
            while (length > leafBytes && start % length != 0) {
                length /= 2;
            }
            if (end == sizeBytes) {
                return (int) Math.min(length, end - start);
            }
            while (length > leafBytes && start + length > end) {
                length /= 2;
            }
            return (int) Math.min(length, end - start);
        }
    }
}
