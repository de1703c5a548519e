package io.fdt.core.plan;

import io.fdt.core.plan.QueuedFile.Claim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The queue from which all lanes of a session claim chunks. A slow lane claims fewer chunks, and the chunks of a lost
 * lane return to the queue: load balancing, stragglers and fault recovery are this one mechanism. {@link WorkShares}
 * decides which lane works where; files are cut into chunks only when they are claimed; returned chunks are claimed
 * first, the last one at once. A chunk whose lane was lost twice returns in pieces, which are nodes of the hash tree
 * like any chunk, so a path that cannot carry a whole chunk still makes progress, before all chunks were lost as often.
 *
 * <p>Thread-safe, with one lock that is held for a few map operations per chunk. A lane that finds no chunk registers a
 * callback, which runs once, outside the lock, when there is a chunk again. Only as many lanes are called as there is
 * work for.
 */
public final class ChunkQueue {
    /** How often a chunk is sent whole. */
    private static final int WHOLE_LOSSES = 2;

    /** Each further loss divides a piece into this many, down to single leaves. */
    private static final int PIECES = 16;

    private final int leafBytes;
    private final WorkShares unclaimed;
    /** Files of which something is not acknowledged, by number. */
    private final Map<Integer, QueuedFile> files = new HashMap<>();

    private final ArrayDeque<Chunk> again = new ArrayDeque<>();
    private final Map<ClaimKey, Claim> claims = new HashMap<>();

    /** The callbacks of lanes that wait, by lane number, in the order in which they began to wait. */
    private final Map<Integer, Runnable> sleepers = new LinkedHashMap<>();

    private int[] claimsOfLanes = new int[16];
    private long[] acknowledgedBytes = new long[16];

    private boolean closed;

    private record ClaimKey(int fileId, long offset) {
        // By hand, for a short start.

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ClaimKey key && key.fileId == fileId && key.offset == offset;
        }

        /** Offsets are multiples of powers of two, so their bits are mixed. */
        @Override
        public int hashCode() {
            return Long.hashCode((offset + fileId) * 0x9E3779B97F4A7C15L);
        }
    }

    /** Creates a queue whose chunks are a power of two of leaves. */
    public ChunkQueue(int chunkBytes, int leafBytes) {
        if (Integer.bitCount(chunkBytes) != 1 || Integer.bitCount(leafBytes) != 1 || chunkBytes < leafBytes) {
            throw new IllegalArgumentException(
                    "chunk and leaf must be powers of two: " + chunkBytes + ", " + leafBytes);
        }
        this.leafBytes = leafBytes;
        this.unclaimed = new WorkShares(chunkBytes, leafBytes);
    }

    /**
     * Adds the ranges of a file that the target lacks, in order and without overlaps. Lanes that wait are called by
     * {@link #wakeLanes}.
     *
     * @param directory a number that it shares with the files before and after it in its directory
     */
    public synchronized void add(int fileId, int directory, long sizeBytes, List<Range> missing) {
        if (!missing.isEmpty()) {
            QueuedFile file = new QueuedFile(fileId, sizeBytes);
            files.put(fileId, file);
            unclaimed.add(file, directory, missing);
        }
    }

    /** Adds a stream: consecutive chunks of this length until {@link #endStream}. */
    public synchronized void addStream(int fileId, int lengthBytes) {
        QueuedFile file = new QueuedFile(fileId, Long.MAX_VALUE);
        file.streamChunkBytes = lengthBytes;
        files.put(fileId, file);
        unclaimed.addStream(file);
    }

    /** Limits the length of the chunks that are claimed of a stream from now on, to a power of two. */
    public synchronized void limitStream(int fileId, int lengthBytes) {
        QueuedFile file = files.get(fileId);
        if (file != null && file.isStream()) {
            file.streamChunkBytes = lengthBytes;
        }
    }

    /** Ends claiming of a stream, and returns the offset up to which it was claimed; -1 if it has ended. */
    public synchronized long endStream(int fileId) {
        QueuedFile file = files.get(fileId);
        if (file == null || !file.isStream()) {
            return -1;
        }
        file.streamChunkBytes = 0;
        removeIfOver(file);
        return file.streamOffset;
    }

    /**
     * Claims the next chunk for a lane; null if there is none now.
     *
     * @param maxBytes a power of two of leaves; a chunk of a stream may be longer
     * @param wake runs when there may be one; null for a lane that does not wait
     */
    public synchronized @Nullable Chunk claim(int lane, int maxBytes, @Nullable Runnable wake) {
        if (closed) {
            return null;
        }
        Chunk chunk = again.isEmpty() ? unclaimed.take(lane, maxBytes) : takeAgain(maxBytes);
        if (chunk != null) {
            addClaim(chunk, lane);
            sleepers.remove(lane);
        } else if (wake != null) {
            sleepers.put(lane, wake);
        }
        return chunk;
    }

    /**
     * Claims small files with which the lane's work goes on, as many as fit.
     *
     * @param costBytes what each takes in addition to its content
     */
    public synchronized void claimSmall(int lane, int roomBytes, int costBytes, Queue<Chunk> claimed) {
        int room = roomBytes - costBytes;
        while (!closed && again.isEmpty() && unclaimed.continuesSmall(lane, room)) {
            Chunk chunk = unclaimed.take(lane, Integer.MAX_VALUE);
            if (chunk == null) {
                return;
            }
            addClaim(chunk, lane);
            claimed.add(chunk);
            room -= chunk.lengthBytes() + costBytes;
        }
    }

    private Chunk takeAgain(int maxBytes) {
        Chunk chunk = again.removeFirst();
        QueuedFile file = files.get(chunk.fileId());
        if (file == null) {
            throw new IllegalStateException("a chunk of a file that is not queued: " + chunk);
        }
        file.again--;
        if (chunk.lengthBytes() > maxBytes && !file.isStream()) {
            addAgain(file, chunk, maxBytes);
            chunk = again.removeFirst();
            file.again--;
        }
        return chunk;
    }

    private void addClaim(Chunk chunk, int lane) {
        QueuedFile file = files.get(chunk.fileId());
        if (file == null) {
            throw new IllegalStateException("a chunk of a file that is not queued: " + chunk);
        }
        Claim claim = new Claim(file, chunk, lane);
        file.add(claim);
        claims.put(new ClaimKey(chunk.fileId(), chunk.offset()), claim);
        growTo(lane);
        claimsOfLanes[lane]++;
    }

    private void growTo(int lane) {
        if (lane >= acknowledgedBytes.length) {
            int length = Integer.highestOneBit(lane) * 2;
            acknowledgedBytes = Arrays.copyOf(acknowledgedBytes, length);
            claimsOfLanes = Arrays.copyOf(claimsOfLanes, length);
        }
    }

    private @Nullable Claim claimAt(int fileId, long offset) {
        return claims.get(new ClaimKey(fileId, offset));
    }

    private void remove(Claim claim) {
        claims.remove(new ClaimKey(claim.chunk.fileId(), claim.chunk.offset()));
        claim.file.remove(claim);
        claimsOfLanes[claim.lane]--;
    }

    private void removeIfOver(QueuedFile file) {
        if (file.isOver()) {
            files.remove(file.id, file);
        }
    }

    /**
     * Marks a range as durable at the target, even if it has been returned to the queue. Returns how many bytes were
     * outstanding, or -1 for none: a duplicate, or a file that was given up.
     */
    public synchronized int acknowledge(int fileId, long offset, int lengthBytes) {
        QueuedFile file = files.get(fileId);
        if (file == null) {
            return -1;
        }
        Claim claim = claimAt(fileId, offset);
        int outstanding;
        if (claim != null && claim.chunk.lengthBytes() >= lengthBytes) {
            outstanding = lengthBytes;
            acknowledge(claim);
        } else {
            outstanding = acknowledgePieces(file, offset, lengthBytes);
        }
        removeIfOver(file);
        return outstanding;
    }

    private void acknowledge(Claim claim) {
        acknowledgedBytes[claim.lane] += claim.chunk.lengthBytes();
        remove(claim);
    }

    /** The chunk was returned to the queue meanwhile, perhaps in pieces, some of which have been claimed again. */
    private int acknowledgePieces(QueuedFile file, long offset, int lengthBytes) {
        int sum = -1;
        for (Iterator<Chunk> each = again.iterator(); file.again > 0 && each.hasNext(); ) {
            Chunk chunk = each.next();
            if (isWithin(chunk, file.id, offset, lengthBytes)) {
                sum = Math.max(0, sum) + chunk.lengthBytes();
                each.remove();
                file.again--;
            }
        }
        Claim next;
        for (Claim claim = lengthBytes > leafBytes ? file.claims : null; claim != null; claim = next) {
            next = claim.next;
            if (isWithin(claim.chunk, file.id, offset, lengthBytes)) {
                sum = Math.max(0, sum) + claim.chunk.lengthBytes();
                acknowledge(claim);
            }
        }
        return sum;
    }

    private static boolean isWithin(Chunk chunk, int fileId, long offset, int lengthBytes) {
        return chunk.fileId() == fileId
                && (chunk.offset() == offset || (chunk.offset() > offset && chunk.end() <= offset + lengthBytes));
    }

    /** Has a damaged chunk sent again. Returns how often it has been damaged, or 0 if that attempt is over. */
    public int sendAgain(int fileId, long offset, int attempt) {
        int damages;
        synchronized (this) {
            Claim claim = claimAt(fileId, offset);
            if (claim == null || claim.chunk.attempt() != attempt) {
                return 0;
            }
            Chunk chunk = claim.chunk.afterDamage();
            remove(claim);
            claim.file.again++;
            again.addLast(chunk);
            damages = chunk.damages();
        }
        wakeLanes();
        return damages;
    }

    /**
     * A lane is lost: its unacknowledged claims and what it was to claim next return to the queue. Returns the number
     * of claims.
     */
    public int returnClaims(int lane) {
        List<Claim> lost = new ArrayList<>();
        synchronized (this) {
            unclaimed.remove(lane);
            sleepers.remove(lane);
            for (Claim claim : hasClaims(lane) ? claims.values() : List.<Claim>of()) {
                if (claim.lane == lane) {
                    lost.add(claim);
                }
            }
            for (Claim claim : lost) {
                remove(claim);
                addLost(claim.file, claim.chunk.afterLoss());
            }
        }
        wakeLanes();
        return lost.size();
    }

    private void addLost(QueuedFile file, Chunk chunk) {
        int pieceBytes = chunk.lengthBytes();
        if (chunk.losses() >= WHOLE_LOSSES && pieceBytes > leafBytes) {
            // For a chunk that the end of its file cuts off, a part of the complete node.
            int nodeBytes = Integer.highestOneBit(pieceBytes - 1) << 1;
            pieceBytes = Math.max(leafBytes, nodeBytes / PIECES);
        }
        addAgain(file, chunk, pieceBytes);
    }

    /** Adds a chunk in pieces, of which the first is to be the next one. */
    private void addAgain(QueuedFile file, Chunk chunk, int pieceBytes) {
        int last = pieceBytes == 0 ? 0 : (chunk.lengthBytes() - 1) / pieceBytes;
        for (int piece = last; piece >= 0; piece--) {
            long offset = chunk.offset() + (long) piece * pieceBytes;
            file.again++;
            again.addFirst(chunk.piece(offset, (int) Math.min(pieceBytes, chunk.end() - offset)));
        }
    }

    /** A lane claims nothing more, and others do what it would have claimed next. Its claims remain. */
    public void leave(int lane) {
        synchronized (this) {
            unclaimed.remove(lane);
            sleepers.remove(lane);
        }
        wakeLanes();
    }

    /** How much of what a lane claimed has been acknowledged. */
    public synchronized long acknowledgedBytes(int lane) {
        return lane < acknowledgedBytes.length ? acknowledgedBytes[lane] : 0;
    }

    /** Whether the lane has claimed chunks that are not acknowledged. */
    public synchronized boolean hasClaims(int lane) {
        return lane < claimsOfLanes.length && claimsOfLanes[lane] > 0;
    }

    /** Removes a claim that turned out to be empty, at the end of a stream. */
    public synchronized void withdraw(Chunk claimed) {
        Claim claim = claimAt(claimed.fileId(), claimed.offset());
        if (claim != null && isOutstanding(claimed)) {
            remove(claim);
            removeIfOver(claim.file);
        }
    }

    /**
     * Whether exactly this claim is still outstanding. A claim of an equal chunk may be, if the file was given up and
     * added again.
     */
    @SuppressWarnings("ReferenceEquality") // the claimed object itself, not an equal one
    public synchronized boolean isOutstanding(Chunk claimed) {
        Claim claim = claimAt(claimed.fileId(), claimed.offset());
        return claim != null && claim.chunk == claimed;
    }

    /**
     * The file is in place, and with it what is not acknowledged yet: two lanes can finish its last chunks at the same
     * time, and then one of them is acknowledged later. Returns how many bytes those are.
     */
    public synchronized long complete(int fileId) {
        QueuedFile file = files.get(fileId);
        if (file == null) {
            return 0;
        }
        long outstanding = 0;
        for (Claim claim = file.claims; claim != null; claim = claim.next) {
            outstanding += claim.chunk.lengthBytes();
            acknowledgedBytes[claim.lane] += claim.chunk.lengthBytes();
        }
        for (Chunk chunk : again) {
            outstanding += chunk.fileId() == fileId ? chunk.lengthBytes() : 0;
        }
        giveUp(fileId);
        return outstanding;
    }

    /** Forgets everything of a file. */
    public synchronized void giveUp(int fileId) {
        QueuedFile file = files.remove(fileId);
        if (file == null) {
            return;
        }
        file.givenUp = true;
        if (file.again > 0) {
            again.removeIf(chunk -> chunk.fileId() == fileId);
        }
        for (Claim claim = file.claims; claim != null; claim = file.claims) {
            remove(claim);
        }
    }

    /** Ends all claiming: later claims find nothing and are not called back. */
    public synchronized void close() {
        closed = true;
        sleepers.clear();
    }

    /** How many lanes find work that lasts a while. */
    public synchronized int usefulLanes() {
        return unclaimed.usefulLanes();
    }

    /** How many lanes find work that lasts a while, without being in each other's way at a target in this host. */
    public synchronized int placesForLanes() {
        return unclaimed.places();
    }

    public synchronized boolean isDrained() {
        return files.isEmpty();
    }

    /** Calls as many of the lanes that wait as there is work for, beside those that work. */
    public void wakeLanes() {
        wake(false);
    }

    /** The lanes that work do not get on: calls one more if there is work. */
    public void wakeAnother() {
        wake(true);
    }

    private void wake(boolean another) {
        List<Runnable> wakeUps = new ArrayList<>();
        synchronized (this) {
            int working = unclaimed.lanes() - sleepers.size();
            long useful = (long) again.size() + unclaimed.usefulLanes();
            long count = another ? Math.min(1, useful) : useful - working;
            for (Iterator<Runnable> each = sleepers.values().iterator(); wakeUps.size() < count && each.hasNext(); ) {
                wakeUps.add(each.next());
                each.remove();
            }
        }
        wakeUps.forEach(Runnable::run);
    }
}
