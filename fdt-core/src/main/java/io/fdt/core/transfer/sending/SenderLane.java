package io.fdt.core.transfer.sending;

import io.fdt.core.basic.Clock;
import io.fdt.core.control.Session;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Chunk;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneProbe;
import io.fdt.core.wire.ChunkHeader;
import io.fdt.core.wire.ChunkTrailer;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A sending lane: claims a chunk, reads it leaf by leaf straight into blocks, hashes each leaf while it is in the CPU
 * cache, and sends it. Frames are laid out so that a header, a leaf and a trailer each lie within one block; small
 * frames follow each other in a block. Everything here belongs to the lane's thread, which may block in reading;
 * handling a leaf allocates nothing.
 */
final class SenderLane implements LaneHandler {
    /** A lane that claims less often cannot do its work alone. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Sender sender;
    private final Lane lane;
    private final int index;
    private final int key;
    private final ChunkQueue queue;
    private final RateLimit rateLimit;
    private final LaneCounters counters;
    private final LaneProbe probe;
    private final TreeDigest digest;
    private final ChunkHeader header = new ChunkHeader();
    private final ChunkTrailer trailer;
    private final long sessionTag;
    private Chunk claimed = Chunk.NONE;
    private final Clock clock;
    private long claimedNanos;
    private final ClaimSize claimSize;
    /** What the lane of this number had sent before. */
    private final long sentBeforeBytes;

    private long comparedBytes;
    private final SmallFiles small;
    /** The next chunk is of a file that could not be read together with others. */
    private boolean alone;

    private final Runnable pump = this::pump;
    private final Runnable wakeUp = this::wakeUp;

    private @Nullable Block block;
    private @Nullable SenderFile file;
    private @Nullable SourceFile source;
    private boolean inChunk;
    private int leaf;
    private boolean sourceFailed;
    private boolean pumpIsDue;
    private boolean tokensTaken;
    private boolean closed;
    private boolean retiring;

    /** The lane has finished its last chunk, and claims no more. Written only by the lane's thread. */
    private volatile boolean retired;

    /** Written only by the lane's thread. */
    private final AtomicLong blocksSent = new AtomicLong();

    /** Whether the lane's thread is working, perhaps in a long read. Written only by that thread. */
    private volatile boolean working;

    private long waitingSinceNanos;
    private @Nullable Counter waitingFor;

    SenderLane(Sender sender, Lane lane, int index, int key, ChunkQueue queue, RateLimit rateLimit, TreeDigest digest) {
        this.sender = sender;
        this.lane = lane;
        this.index = index;
        this.key = key;
        this.queue = queue;
        this.rateLimit = rateLimit;
        Session session = sender.session();
        this.clock = session.clock();
        this.claimedNanos = clock.nanoTime();
        this.counters = session.counters().lane(index);
        this.claimSize = new ClaimSize(sender.chunkBytes(), claimedNanos);
        this.sentBeforeBytes = counters.get(Counter.SENT_BYTES);
        this.probe = sender.probe(lane, index);
        this.digest = digest;
        this.trailer = new ChunkTrailer(digest.kind());
        this.small = new SmallFiles(
                sender, queue, key, trailer.lengthBytes(), rateLimit.isUnlimited() && sender.readsSmallFiles());
        this.sessionTag = session.tag();
    }

    @Override
    public int wantedBytes() {
        return 1;
    }

    /** A receiver sends nothing on a lane. */
    @Override
    public void onReceived(Block received) {
        lane.abort(Cause.MALFORMED.failure(lane.peer() + " sent data on a lane that only receives"));
    }

    @Override
    public void onSendable() {
        pumpUnlessDue();
    }

    /** A lane that waits for the rate limit continues when its time has come and not before. */
    private void pumpUnlessDue() {
        if (!pumpIsDue) {
            pump();
        }
    }

    /** The duty cycle: continues until there are no blocks, no work or no tokens. */
    private void pump() {
        if (closed) {
            return;
        }
        working = true;
        try {
            pumpUntilOut();
        } catch (RuntimeException mistake) {
            TransferException failure = TransferException.of(mistake);
            sender.reportFailure(failure);
            lane.abort(failure);
        } finally {
            working = false;
        }
    }

    private void pumpUntilOut() {
        pumpIsDue = false;
        stopWaiting();
        probe.lookWhenDue(System.nanoTime());
        while (!closed && !retired) {
            if (block == null) {
                block = lane.acquire();
                if (block == null) {
                    startWaiting(Counter.BLOCKED_NANOS);
                    return;
                }
            }
            if (!inChunk && retiring && small.isEmpty()) {
                retireNow(block);
                return;
            }
            if (!inChunk) {
                if (!sendSmallFiles(block) && !startChunk(block)) {
                    return;
                }
            } else if (leaf < header.leaves()) {
                if (!sendLeaf(block)) {
                    return;
                }
            } else {
                endChunk(block);
            }
        }
    }

    /** Sends the content of the block; nothing follows it. */
    private void retireNow(Block last) {
        putAway(last);
        queue.leave(key);
        retired = true;
    }

    private void putAway(Block last) {
        if (last.buffer().position() > 0) {
            sendBlock(last);
        } else {
            last.release();
            block = null;
        }
    }

    /** Ends the lane: it claims nothing after its present chunk. Thread-safe. */
    void retire() {
        lane.execute(() -> {
            retiring = true;
            pumpUnlessDue();
        });
    }

    /** Whether the lane has passed its last byte to the network. Thread-safe. */
    boolean isRetired() {
        return retired;
    }

    /** There may be work again. Thread-safe. */
    private void wakeUp() {
        lane.execute(this::pumpUnlessDue);
    }

    /**
     * Sends small files that are read together; false if the next chunk is not one of these. Like any file, each is
     * checked before and after, and one that changed is left to {@link #startChunk}, which reports the reason.
     */
    private boolean sendSmallFiles(Block current) {
        if (alone) {
            alone = false;
            return false;
        }
        if (small.isEmpty()) {
            callForHelp();
        }
        boolean blockIsFull = small.gather(current, retiring ? 0 : claimBytes());
        if (blockIsFull) {
            sendBlock(current);
            return true;
        }
        long started = System.nanoTime();
        int read = small.read();
        if (read == 0) {
            return false;
        }
        counters.add(Counter.READ_NANOS, System.nanoTime() - started);
        alone = read < small.count();
        for (int i = 0; i < read; i++) {
            sendSmallFile(current, small.remove(), small.file(i));
        }
        probe.lookWhenDue(System.nanoTime());
        return true;
    }

    /** Another lane shares the work of one that claims slowly: it waits for the network or for its source. */
    private void callForHelp() {
        long now = clock.nanoTime();
        if (now - claimedNanos > SLOW_NANOS) {
            queue.wakeAnother();
        }
        claimedNanos = now;
    }

    private int claimBytes() {
        long sentBytes = counters.get(Counter.SENT_BYTES) - sentBeforeBytes;
        return claimSize.next(
                clock.nanoTime(), sentBytes + comparedBytes, queue.acknowledgedBytes(key) + comparedBytes);
    }

    private void sendSmallFile(Block current, Chunk chunk, SenderFile sent) {
        int length = chunk.lengthBytes();
        ByteBuffer buffer = current.buffer();
        sender.countBytes(length);
        header.set(sessionTag, sent.id, 0, 0, length, ChunkHeader.fullMap(length));
        header.write(buffer);
        long started = System.nanoTime();
        digest.reset();
        digest.addLeaf(buffer, current.address(), buffer.position(), length);
        digest.finish(trailer.digest());
        counters.add(Counter.HASH_NANOS, System.nanoTime() - started);
        buffer.position(buffer.position() + length);
        trailer.setStatus(ChunkTrailer.Status.SOUND);
        trailer.write(buffer);
        counters.add(Counter.SENT_BYTES, length);
        counters.add(Counter.CHUNKS, 1);
    }

    /** Returns false if there is nothing to do until the next wake-up. */
    private boolean startChunk(Block current) {
        if (current.buffer().remaining() < ChunkHeader.LENGTH_BYTES) {
            sendBlock(current);
            return true;
        }
        Chunk chunk = small.isEmpty() ? queue.claim(key, claimBytes(), wakeUp) : small.remove();
        if (chunk == null) {
            startWaiting(Counter.IDLE_NANOS);
            putAway(current);
            return false;
        }
        claimed = chunk;
        SenderFile next = sender.file(claimed.fileId());
        file = next;
        if (next == null) {
            queue.giveUp(claimed.fileId());
            return true;
        }
        SourceFile opened = open(next);
        source = opened;
        if (opened != null && next.isPipe()) {
            sendPipeChunk(current, next, opened);
        } else if (opened != null) {
            startKnownChunk(current, next, opened);
        }
        return true;
    }

    private @Nullable SourceFile open(SenderFile opened) {
        try {
            return opened.acquire();
        } catch (TransferException unreadable) {
            // The session may learn of it late, and the other chunks would fail, too.
            queue.giveUp(opened.id);
            sender.reportSourceFailed(opened, unreadable);
            return null;
        }
    }

    private void startKnownChunk(Block current, SenderFile opened, SourceFile from) {
        boolean comparing = opened.isComparing();
        if (!queue.isOutstanding(claimed)) {
            // The verdict on the comparison arrived meanwhile; what is needed now is claimed again.
            letGo();
            return;
        }
        int lengthBytes = claimed.lengthBytes();
        if (comparing) {
            sender.countRead(lengthBytes);
            comparedBytes += lengthBytes;
            begin(lengthBytes, 0);
            header.setDigestOnly(sessionTag, claimed.fileId(), claimed.offset(), lengthBytes);
        } else {
            long map = ChunkHeader.fullMap(lengthBytes);
            if (opened.entry.sparse()) {
                map &= from.presentLeaves(claimed.offset(), ChunkHeader.leavesOf(lengthBytes), TreeDigest.LEAF_BYTES);
            }
            sender.countBytes(lengthBytes);
            begin(lengthBytes, map);
        }
        header.write(current.buffer());
    }

    private void begin(int lengthBytes, long map) {
        inChunk = true;
        leaf = 0;
        if (claimed.attempt() > 0) {
            counters.add(Counter.RESENT_CHUNKS, 1);
        }
        sourceFailed = false;
        digest.reset();
        header.set(sessionTag, claimed.fileId(), claimed.attempt(), claimed.offset(), lengthBytes, map);
    }

    /** The amount of data in a pipe is known only after reading, so the leaf is read before its header is written. */
    private void sendPipeChunk(Block current, SenderFile opened, SourceFile from) {
        if (current.buffer().position() > 0) {
            throw new IllegalStateException("a pipe chunk needs an empty block");
        }
        int start = ChunkHeader.LENGTH_BYTES;
        int length;
        try {
            length = from.read(current.address() + start, claimed.lengthBytes(), claimed.offset());
        } catch (TransferException unreadable) {
            queue.giveUp(opened.id);
            sender.reportSourceFailed(opened, unreadable);
            letGo();
            return;
        }
        if (length < claimed.lengthBytes()) {
            queue.endStream(opened.id);
            sender.reportStreamEnded(opened, claimed.offset() + length);
        }
        if (length == 0) {
            queue.withdraw(claimed);
            letGo();
            return;
        }
        sender.countBytes(length);
        begin(length, ChunkHeader.fullMap(length));
        header.write(current.buffer());
        digest.addLeaf(current.buffer(), current.address(), start, length);
        current.buffer().position(start + length);
        leaf = 1;
    }

    /** Returns false if the rate limit requires a wait. */
    private boolean sendLeaf(Block current) {
        int length = header.leafBytes(leaf);
        if (leaf == 0
                && header.leafMap() == 0
                && !header.isDigestOnly()
                && TreeDigest.isSubtree(header.lengthBytes())) {
            digest.addZeroSubtree(header.lengthBytes());
            leaf = header.leaves();
            return true;
        }
        if (!header.hasLeaf(leaf) && !header.isDigestOnly()) {
            digest.addZeroLeaf(length);
            leaf++;
            return true;
        }
        ByteBuffer buffer = current.buffer();
        if (buffer.remaining() < length) {
            sendBlock(current);
            return true;
        }
        if (header.isDigestOnly()) {
            // The rest of the block is only space to read into.
            readLeaf(current, buffer.position(), length);
            digest.addLeaf(buffer, current.address(), buffer.position(), length);
            leaf++;
            return true;
        }
        if (!rateLimit.isUnlimited() && mustWait(length)) {
            return false;
        }
        long started = System.nanoTime();
        int position = buffer.position();
        readLeaf(current, position, length);
        long read = System.nanoTime();
        digest.addLeaf(buffer, current.address(), position, length);
        counters.add(Counter.READ_NANOS, read - started);
        counters.add(Counter.HASH_NANOS, System.nanoTime() - read);
        counters.add(Counter.SENT_BYTES, length);
        if (header.attempt() > 0) {
            counters.add(Counter.RESENT_BYTES, length);
        }
        buffer.position(position + length);
        leaf++;
        return true;
    }

    private boolean mustWait(int length) {
        if (tokensTaken) {
            tokensTaken = false;
            return false;
        }
        long waitNanos = rateLimit.reserve(length);
        if (waitNanos <= 0) {
            return false;
        }
        tokensTaken = true;
        pumpIsDue = true;
        startWaiting(Counter.LIMITED_NANOS);
        lane.schedule(pump, waitNanos, TimeUnit.NANOSECONDS);
        return true;
    }

    /** The bytes that a header announced must follow. After a failure they are zeros, and the trailer marks it. */
    private void readLeaf(Block current, int position, int length) {
        SourceFile from = source;
        long offset = header.offset() + (long) leaf * TreeDigest.LEAF_BYTES;
        int got = 0;
        if (!sourceFailed && from != null) {
            try {
                got = from.read(current.address() + position, length, offset);
                if (got < length) {
                    failSource("shrank while it was read");
                }
            } catch (TransferException unreadable) {
                sourceFailed = true;
                reportFailure(unreadable);
            }
        }
        for (int i = got; i < length; i++) {
            current.buffer().put(position + i, (byte) 0);
        }
    }

    private void requireUnchanged(SourceFile read) {
        try {
            if (!read.unchanged()) {
                failSource("changed while it was read");
            }
        } catch (TransferException unknown) {
            sourceFailed = true;
            reportFailure(unknown);
        }
    }

    private void failSource(String what) {
        sourceFailed = true;
        reportFailure(Cause.CHANGED.failure("the source " + what));
    }

    private void reportFailure(TransferException why) {
        if (file != null) {
            sender.reportSourceFailed(file, why);
        }
    }

    private void endChunk(Block current) {
        if (current.buffer().remaining() < trailer.lengthBytes()) {
            sendBlock(current);
            return;
        }
        SenderFile sent = file;
        if (sent != null && source != null && !sourceFailed && sent.entry.kind() == FileEntry.Kind.FILE) {
            requireUnchanged(source);
        }
        trailer.setStatus(sourceFailed ? ChunkTrailer.Status.SOURCE_FAILED : ChunkTrailer.Status.SOUND);
        digest.finish(trailer.digest());
        trailer.write(current.buffer());
        counters.add(Counter.CHUNKS, 1);
        probe.lookWhenDue(System.nanoTime());
        if (sent != null && sent.isPipe()) {
            sendBlock(current);
        } else if (sent != null && sent.entry.sizeBytes() <= header.lengthBytes()) {
            sent.close();
        }
        inChunk = false;
        letGo();
    }

    private void letGo() {
        SenderFile read = file;
        if (read != null && source != null) {
            read.release();
        }
        file = null;
        source = null;
    }

    private void sendBlock(Block full) {
        long started = System.nanoTime();
        long waitedBefore = lane.sendWaitNanos();
        full.buffer().flip();
        block = null;
        lane.send(full);
        blocksSent.lazySet(blocksSent.getPlain() + 1);
        long waited = lane.sendWaitNanos() - waitedBefore;
        counters.add(Counter.BLOCKED_NANOS, waited);
        counters.add(Counter.SEND_NANOS, System.nanoTime() - started - waited);
    }

    /** Thread-safe. */
    long blocksSent() {
        return blocksSent.get();
    }

    /** Whether the lane's own thread has something to do, so that it does not wait for the network. Thread-safe. */
    boolean isWorking() {
        return working;
    }

    private void startWaiting(Counter what) {
        waitingFor = what;
        waitingSinceNanos = clock.nanoTime();
    }

    private void stopWaiting() {
        Counter what = waitingFor;
        if (what != null) {
            long waited = clock.nanoTime() - waitingSinceNanos;
            counters.add(what, waited);
            waitingFor = null;
            if (what == Counter.IDLE_NANOS) {
                // A lane without work is not slow.
                claimedNanos = clock.nanoTime();
                claimSize.onIdle(waited);
            }
        }
    }

    @Override
    public boolean isBetweenMessages() {
        return !inChunk && small.isEmpty() && (block == null || block.buffer().position() == 0);
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        closed = true;
        probe.close(cause);
        stopWaiting();
        if (block != null) {
            block.release();
            block = null;
        }
        letGo();
        sender.reportLaneClosed(index, key, cause);
    }
}
