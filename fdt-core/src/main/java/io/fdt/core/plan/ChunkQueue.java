package io.fdt.core.plan;

import io.fdt.core.plan.Claims.Claim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue from which all lanes of a session claim chunks. A slow lane claims fewer chunks, and the chunks of a lost
 * lane return to the queue: load balancing, stragglers and fault recovery are this one mechanism. Files are cut into
 * chunks only when they are claimed, in the order in which they were added; returned chunks are claimed first. A chunk
 * whose lane was lost twice returns in pieces, which are nodes of the hash tree like any chunk, so a path that cannot
 * carry a whole chunk still makes progress.
 *
 * <p>Thread-safe, with one lock that is held for a few map operations per chunk. A lane that finds no chunk registers a
 * callback, which runs once, outside the lock, when there is a chunk again.
 */
public final class ChunkQueue {
    /** How often a chunk is sent whole. */
    private static final int WHOLE_LOSSES = 2;

    /** Each further loss divides a piece into this many, down to single leaves. */
    private static final int PIECES = 16;

    private final int chunkBytes;
    private final int leafBytes;
    private final boolean takesPieces;

    /** The files with unclaimed chunks, by id, in the order in which they were added. */
    private final Map<Integer, Cursor> files = new LinkedHashMap<>();

    private final ArrayDeque<Chunk> again = new ArrayDeque<>();
    private final Claims claims = new Claims();

    private final Map<Integer, Runnable> sleepers = new HashMap<>();

    /** The number of acknowledged chunks, by lane number. */
    private long[] acknowledgements = new long[16];

    private boolean closed;

    /**
     * Creates a queue whose chunks are a power of two of leaves. {@code takesPieces}: the receiver accepts pieces of a
     * chunk that it was sent whole before.
     */
    public ChunkQueue(int chunkBytes, int leafBytes, boolean takesPieces) {
        if (Integer.bitCount(chunkBytes) != 1 || Integer.bitCount(leafBytes) != 1 || chunkBytes < leafBytes) {
            throw new IllegalArgumentException(
                    "chunk and leaf must be powers of two: " + chunkBytes + ", " + leafBytes);
        }
        this.chunkBytes = chunkBytes;
        this.leafBytes = leafBytes;
        this.takesPieces = takesPieces;
    }

    /** Adds the ranges of a file that the target lacks, in order and without overlaps. */
    public void add(int fileId, long sizeBytes, List<Range> missing) {
        if (missing.isEmpty()) {
            return;
        }
        addFile(new Cursor(fileId, sizeBytes, missing));
    }

    /** Adds a stream: consecutive chunks of this length until {@link #endStream}. */
    public void addStream(int fileId, int lengthBytes) {
        addFile(new Cursor(fileId, lengthBytes));
    }

    private void addFile(Cursor cursor) {
        var unused = wakeAfter(() -> files.put(cursor.fileId, cursor));
    }

    /** Limits the length of the chunks that are claimed of a stream from now on, to a power of two. */
    public synchronized void limitStream(int fileId, int lengthBytes) {
        Cursor cursor = files.get(fileId);
        if (cursor != null) {
            cursor.streamChunkBytes = lengthBytes;
        }
    }

    /** Ends claiming of a stream, and returns the offset up to which it was claimed. */
    public synchronized long endStream(int fileId) {
        Cursor ended = files.remove(fileId);
        return ended == null ? -1 : ended.offset;
    }

    /**
     * Claims the next chunk for a lane; null if there is none now.
     *
     * @param wake runs when there may be one; null for a lane that does not wait
     */
    public synchronized @Nullable Chunk claim(int lane, @Nullable Runnable wake) {
        if (closed) {
            return null;
        }
        Chunk chunk = again.isEmpty() ? nextOfFiles() : again.removeFirst();
        if (chunk != null) {
            claims.put(chunk, lane);
        } else if (wake != null) {
            sleepers.put(lane, wake);
        }
        return chunk;
    }

    private @Nullable Chunk nextOfFiles() {
        if (files.isEmpty()) {
            return null;
        }
        Cursor cursor = files.values().iterator().next();
        Chunk chunk = new Chunk(cursor.fileId, cursor.offset, cursor.take());
        if (cursor.isEmpty()) {
            files.remove(cursor.fileId);
        }
        return chunk;
    }

    /**
     * Marks a range as durable at the target, even if it has been returned to the queue. Its length is -1 if the
     * receiver did not send it. Returns how many bytes were outstanding, or -1 for none: a duplicate, or a file that
     * was given up.
     */
    public synchronized int acknowledge(int fileId, long offset, int lengthBytes) {
        Claim claim = claims.get(fileId, offset);
        if (claim != null && claim.chunk.lengthBytes() >= lengthBytes) {
            countAcknowledgement(claim.lane);
            claims.remove(fileId, offset);
            return lengthBytes < 0 ? claim.chunk.lengthBytes() : lengthBytes;
        }
        int[] sum = {-1};
        Predicate<Chunk> isDurable = chunk -> {
            boolean durable = isWithin(chunk, fileId, offset, lengthBytes);
            if (durable) {
                sum[0] = Math.max(0, sum[0]) + chunk.lengthBytes();
            }
            return durable;
        };
        again.removeIf(isDurable);
        if (lengthBytes > leafBytes) {
            claims.removeOfFile(fileId, each -> isDurable.test(each.chunk))
                    .forEach(each -> countAcknowledgement(each.lane));
        }
        return sum[0];
    }

    private static boolean isWithin(Chunk chunk, int fileId, long offset, int lengthBytes) {
        return chunk.fileId() == fileId
                && (chunk.offset() == offset || (chunk.offset() > offset && chunk.end() <= offset + lengthBytes));
    }

    private void countAcknowledgement(int lane) {
        if (lane >= acknowledgements.length) {
            acknowledgements = Arrays.copyOf(acknowledgements, Integer.highestOneBit(lane) * 2);
        }
        acknowledgements[lane]++;
    }

    /** Has a damaged chunk sent again. Returns how often it has been damaged, or 0 if that attempt is over. */
    public int sendAgain(int fileId, long offset, int attempt) {
        return wakeAfter(() -> {
            Claim claim = claims.get(fileId, offset);
            if (claim == null || claim.chunk.attempt() != attempt) {
                return 0;
            }
            Chunk chunk = claim.chunk.afterDamage();
            again.addLast(chunk);
            claims.remove(fileId, offset);
            return chunk.damages();
        });
    }

    /** Returns the unacknowledged claims of a lost lane to the queue; returns their number. */
    public int returnClaims(int lane) {
        return wakeAfter(() -> {
            List<Claim> lost = claims.removeOfLane(lane);
            lost.forEach(claim -> addLost(claim.chunk.afterLoss()));
            return lost.size();
        });
    }

    private void addLost(Chunk chunk) {
        int pieceBytes = chunk.lengthBytes();
        if (takesPieces && chunk.losses() >= WHOLE_LOSSES && pieceBytes > leafBytes) {
            // For a chunk that the end of its file cuts off, a part of the complete node.
            int nodeBytes = Integer.highestOneBit(pieceBytes - 1) << 1;
            pieceBytes = Math.max(leafBytes, nodeBytes / PIECES);
        }
        long offset = chunk.offset();
        do {
            int lengthBytes = (int) Math.min(pieceBytes, chunk.end() - offset);
            again.addLast(chunk.piece(offset, lengthBytes));
            offset += lengthBytes;
        } while (offset < chunk.end());
    }

    /** How many of a lane's chunks have been acknowledged. */
    public synchronized long acknowledged(int lane) {
        return lane < acknowledgements.length ? acknowledgements[lane] : 0;
    }

    /** Whether the lane has claimed chunks that are not acknowledged. */
    public synchronized boolean hasClaims(int lane) {
        return claims.haveLane(lane);
    }

    /** Removes a claim that turned out to be empty, at the end of a stream. */
    public synchronized void withdraw(Chunk claimed) {
        if (isOutstanding(claimed)) {
            claims.remove(claimed.fileId(), claimed.offset());
        }
    }

    /**
     * Whether exactly this claim is still outstanding. A claim of an equal chunk may be, if the file was given up and
     * added again.
     */
    @SuppressWarnings("ReferenceEquality") // the claimed object itself, not an equal one
    public synchronized boolean isOutstanding(Chunk claimed) {
        Claim claim = claims.get(claimed.fileId(), claimed.offset());
        return claim != null && claim.chunk == claimed;
    }

    public synchronized void giveUp(int fileId) {
        files.remove(fileId);
        again.removeIf(chunk -> chunk.fileId() == fileId);
        claims.removeOfFile(fileId, claim -> true);
    }

    /** Ends all claiming: later claims find nothing and are not called back. */
    public synchronized void close() {
        closed = true;
        sleepers.clear();
    }

    public synchronized boolean isDrained() {
        return claims.isEmpty() && again.isEmpty() && files.isEmpty();
    }

    private <T> T wakeAfter(Supplier<T> change) {
        List<Runnable> wakeUps = List.of();
        T result;
        synchronized (this) {
            result = change.get();
            if (!sleepers.isEmpty() && !(files.isEmpty() && again.isEmpty())) {
                wakeUps = new ArrayList<>(sleepers.values());
                sleepers.clear();
            }
        }
        wakeUps.forEach(Runnable::run);
        return result;
    }

    /** The part of a file that has not been claimed yet. */
    private final class Cursor {
        final int fileId;
        final long sizeBytes;
        final ArrayDeque<Range> missing;
        int streamChunkBytes;
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

        /** Takes the chunk at {@link #offset}, advances the offset past it, and returns its length. */
        int take() {
            if (streamChunkBytes != 0) {
                int streamed = streamChunkBytes;
                while (offset % streamed != 0) {
                    streamed /= 2;
                }
                offset += streamed;
                return streamed;
            }
            long end = missing.getFirst().end();
            int length = lengthAt(offset, end);
            offset += length;
            if (offset == end) {
                missing.removeFirst();
                if (!missing.isEmpty()) {
                    offset = missing.getFirst().offset();
                }
            }
            return length;
        }

        /** The length of the largest node of the hash tree that starts here and ends at or before {@code end}. */
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
