package io.fdt.core.transfer.receiving;

import io.fdt.core.basic.Clock;
import io.fdt.core.control.Session;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.storage.target.GatheredWrites;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneProbe;
import io.fdt.core.wire.ChunkHeader;
import io.fdt.core.wire.ChunkTrailer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A receiving lane: decodes frames, hashes each leaf while it is in the CPU cache, writes it at its offset, and
 * compares the chunk's digest with the sender's. It requests whole leaves from its lane, so that each is hashed in one
 * call and written with one system call. Everything here belongs to the lane's thread, which may block in writing;
 * handling a leaf allocates nothing.
 */
final class ReceiverLane implements LaneHandler {
    private final Receiver receiver;
    private final Lane lane;
    private final int index;
    private final int key;
    private final LaneCounters counters;
    private final LaneProbe probe;
    private final Clock clock;
    private final TreeDigest digest;
    private final byte[] computed;
    private final ChunkHeader header = new ChunkHeader();
    private final ChunkTrailer trailer;
    private final long sessionTag;
    private final GatheredWrites gathered = new GatheredWrites();

    private State state = State.HEADER;
    private @Nullable ReceiverFile file;
    private @Nullable WriteGrant grant;
    private int leaf;
    /** The remaining bytes of a chunk that is neither hashed nor written. */
    private int unseenBytes;

    private long idleSinceNanos;

    /** The time since which the lane's thread has been working, or 0. Written only by that thread. */
    private final AtomicLong busySinceNanos = new AtomicLong();

    private enum State {
        HEADER,
        LEAVES,
        /** Leaves that are neither hashed nor written. */
        UNSEEN,
        TRAILER
    }

    ReceiverLane(Receiver receiver, Lane lane, int index, int key, Session session, TreeDigest digest) {
        this.receiver = receiver;
        this.lane = lane;
        this.index = index;
        this.key = key;
        this.counters = session.counters().lane(index);
        this.probe = receiver.probe(lane, index);
        this.digest = digest;
        this.computed = new byte[digest.kind().lengthBytes()];
        this.trailer = new ChunkTrailer(digest.kind());
        this.sessionTag = session.tag();
        this.clock = session.clock();
        this.idleSinceNanos = clock.nanoTime();
    }

    @Override
    public int wantedBytes() {
        return switch (state) {
            case HEADER -> ChunkHeader.LENGTH_BYTES;
            case LEAVES -> header.leafBytes(leaf);
            case UNSEEN -> 1;
            case TRAILER -> trailer.lengthBytes();
        };
    }

    @Override
    public void onReceived(Block block) {
        long now = clock.nanoTime();
        busySinceNanos.set(now | 1);
        probe.lookWhenDue(now);
        counters.add(Counter.IDLE_NANOS, now - idleSinceNanos);
        ByteBuffer buffer = block.buffer();
        try {
            while (buffer.remaining() >= wantedBytes()) {
                switch (state) {
                    case HEADER -> onHeader(buffer);
                    case LEAVES -> onLeaf(block);
                    case UNSEEN -> onUnseen(buffer);
                    case TRAILER -> onTrailer(buffer);
                }
            }
        } catch (RuntimeException e) {
            // A failure here applies to the session: its device, a peer that violates the protocol, or a bug.
            TransferException failure = TransferException.of(e);
            receiver.reportFailure(failure);
            lane.abort(failure);
            buffer.position(buffer.limit());
        }
        idleSinceNanos = clock.nanoTime();
        busySinceNanos.set(0);
    }

    /** Whether the lane's thread has been working, most likely with the disk, for at least this long. Thread-safe. */
    boolean isBusyFor(long nanos) {
        long since = busySinceNanos.get();
        return since != 0 && clock.nanoTime() - since >= nanos;
    }

    int index() {
        return index;
    }

    private void onHeader(ByteBuffer buffer) {
        String problem = header.read(buffer, sessionTag);
        if (problem != null) {
            // The start of the next frame is unknown. The lane is lost, and its chunks are resent.
            counters.add(Counter.DAMAGED_CHUNKS, 1);
            lane.abort(Cause.CONNECTION_LOST.failure(problem + " from " + lane.peer()));
            buffer.position(buffer.limit());
            return;
        }
        leaf = 0;
        if (header.isDigestOnly()) {
            state = State.TRAILER;
            return;
        }
        receiver.countBytes(header.lengthBytes());
        if (header.attempt() > 0) {
            counters.add(Counter.RESENT_CHUNKS, 1);
        }
        file = receiver.entries().file(header.fileId());
        if (file != null) {
            if (!file.allows(header.offset(), header.lengthBytes())) {
                throw Cause.MALFORMED.failure(lane.peer() + " sent a chunk that is not part of " + file.entry.path());
            }
            grant = file.begin(header.offset(), header.lengthBytes(), header.attempt());
        }
        digest.reset();
        if (file != null && file.target.discards() && digest.kind().lengthBytes() == 0 && header.hasEveryLeaf()) {
            unseenBytes = header.lengthBytes();
            state = State.UNSEEN;
            return;
        }
        state = State.LEAVES;
        passHoles();
    }

    /** Skips what has already arrived; the next bytes need not be copied. */
    private void onUnseen(ByteBuffer buffer) {
        int here = Math.min(buffer.remaining(), unseenBytes);
        buffer.position(buffer.position() + here);
        int dropped = 0;
        if (here < unseenBytes) {
            long started = clock.nanoTime();
            dropped = lane.dropAhead(unseenBytes - here);
            counters.add(Counter.IDLE_NANOS, clock.nanoTime() - started);
        }
        counters.add(Counter.RECEIVED_BYTES, here + dropped);
        receiver.keepToRate(here + dropped, counters);
        unseenBytes -= here + dropped;
        if (unseenBytes == 0) {
            state = State.TRAILER;
        }
    }

    /** The sender sent only a chunk's digest: the existing bytes may have the same. */
    private void compareChunk(boolean sound) {
        Comparison comparison = receiver.entries().comparison(header.fileId());
        if (comparison == null) {
            return;
        }
        // A few bytes from the peer make this side read the whole chunk.
        receiver.countRead(header.lengthBytes());
        receiver.keepToRate(header.lengthBytes(), counters);
        Block scratch = lane.acquire();
        if (scratch == null) {
            return;
        }
        boolean equal = false;
        try {
            if (!comparison.hash(header, scratch, digest)) {
                return;
            }
            digest.finish(computed);
            equal = sound && trailer.status() == ChunkTrailer.Status.SOUND && trailer.matches(computed);
        } catch (TransferException unreadable) {
            // Files that cannot be read are replaced.
            equal = false;
        } finally {
            scratch.release();
        }
        receiver.reportCompared(comparison, comparison.add(header, computed, equal));
    }

    /** Leaves that are not sent, because they are holes. */
    private void passHoles() {
        if (leaf == 0 && header.leafMap() == 0 && TreeDigest.isSubtree(header.lengthBytes())) {
            digest.addZeroSubtree(header.lengthBytes());
            writeHole(header.offset(), header.lengthBytes());
            leaf = header.leaves();
        }
        while (leaf < header.leaves() && !header.hasLeaf(leaf)) {
            digest.addZeroLeaf(header.leafBytes(leaf));
            writeHole(header.offset() + (long) leaf * TreeDigest.LEAF_BYTES, header.leafBytes(leaf));
            leaf++;
        }
        if (leaf == header.leaves()) {
            writeGathered();
            state = State.TRAILER;
        }
    }

    private void writeGathered() {
        WriteGrant writing = grant;
        ReceiverFile target = file;
        if (gathered.isEmpty() || writing == null || target == null) {
            return;
        }
        long started = clock.nanoTime();
        try {
            synchronized (writing) {
                if (writing.isRevoked()) {
                    gathered.forget();
                } else {
                    gathered.writeTo(target.target);
                }
            }
        } catch (TransferException failure) {
            receiver.onWriteFailed(target, failure);
        }
        counters.add(Counter.WRITE_NANOS, clock.nanoTime() - started);
    }

    private void writeHole(long offset, int lengthBytes) {
        WriteGrant writing = grant;
        ReceiverFile target = file;
        if (writing != null && target != null) {
            try {
                synchronized (writing) {
                    if (!writing.isRevoked()) {
                        target.target.zero(offset, lengthBytes);
                    }
                }
            } catch (TransferException failure) {
                receiver.onWriteFailed(target, failure);
            }
            if (target.entry.sizeBytes() == FileEntry.UNKNOWN_SIZE) {
                // Zeros of a stream are written like other data, and may be any number.
                receiver.keepToRate(lengthBytes, counters);
            }
        }
    }

    private void onLeaf(Block block) {
        ByteBuffer buffer = block.buffer();
        int length = header.leafBytes(leaf);
        int position = buffer.position();
        WriteGrant writing = grant;
        ReceiverFile target = file;
        if (writing != null && target != null) {
            long started = clock.nanoTime();
            digest.addLeaf(buffer, block.address(), position, length);
            long hashed = clock.nanoTime();
            long offset = header.offset() + (long) leaf * TreeDigest.LEAF_BYTES;
            try {
                synchronized (writing) {
                    if (!writing.isRevoked()) {
                        if (target.target.isDirect()) {
                            gathered.write(target.target, block.address() + position, length, offset);
                        } else {
                            target.target.write(block.address() + position, length, offset);
                        }
                    }
                }
            } catch (TransferException failure) {
                receiver.onWriteFailed(target, failure);
            }
            counters.add(Counter.HASH_NANOS, hashed - started);
            counters.add(Counter.WRITE_NANOS, clock.nanoTime() - hashed);
        }
        counters.add(Counter.RECEIVED_BYTES, length);
        receiver.keepToRate(length, counters);
        buffer.position(position + length);
        leaf++;
        passHoles();
    }

    private void onTrailer(ByteBuffer buffer) {
        boolean sound = trailer.read(buffer);
        if (header.isDigestOnly()) {
            compareChunk(sound);
            state = State.HEADER;
            return;
        }
        digest.finish(computed);
        WriteGrant written = grant;
        ReceiverFile target = file;
        if (written != null && target != null) {
            if (trailer.status() == ChunkTrailer.Status.SOURCE_FAILED && sound) {
                // The sender reports on the control channel what happened to the file.
                target.cancel(written);
            } else if (!sound || !trailer.matches(computed)) {
                target.cancel(written);
                counters.add(Counter.DAMAGED_CHUNKS, 1);
                receiver.reportDamaged(target, written);
            } else if (target.end(written, computed)) {
                counters.add(Counter.VERIFIED_BYTES, written.lengthBytes);
                receiver.onChunkWritten(target, written, computed.clone());
            }
        }
        counters.add(Counter.CHUNKS, 1);
        forget();
        state = State.HEADER;
    }

    private void forget() {
        file = null;
        grant = null;
    }

    @Override
    public void onSendable() {}

    @Override
    public boolean isBetweenMessages() {
        return state == State.HEADER;
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        probe.close(cause);
        WriteGrant unfinished = grant;
        if (unfinished != null && file != null) {
            file.cancel(unfinished);
        }
        forget();
        gathered.close();
        receiver.reportLaneClosed(index, key, cause);
    }
}
