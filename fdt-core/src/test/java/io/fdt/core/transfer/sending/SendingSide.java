package io.fdt.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.SessionInSteps;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.Summary.FailedFile;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LanePairs;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.ChunkHeader;
import io.fdt.core.wire.ChunkTrailer;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A sender with its session and lanes, run on the test's thread, under a clock that advances only when nothing else is
 * left to do. The test is the receiver: it sends a receiver's messages on the control channel, and gets the chunks that
 * the lanes send.
 */
public final class SendingSide implements AutoCloseable {
    static final int LEAF = TreeDigest.LEAF_BYTES;
    static final int CHUNK = LEAF;
    static final DigestKind DIGEST = DigestKind.XXH3_128;
    private static final int BLOCK_BYTES = LEAF + 4096;
    private static final long TIMEOUT_MS = 30_000;

    final FakeSources sources = new FakeSources();
    final TransferFigures figures = new TransferFigures();
    final SessionInSteps session;
    final Sender sender;
    private final Ledger ledger = new Ledger(figures, new TransferObserver() {});
    private final MemoryNetwork network;
    private final LanePairs pairs;
    /** A lane that is not part of the session. Waiting on it lets time pass. */
    private @Nullable Lane idle;

    SendingSide() {
        this(0, TransferLimits.NONE);
    }

    SendingSide(long bitsPerSecond, TransferLimits limits) {
        network = MemoryNetwork.inSteps(1);
        pairs = new LanePairs(network, BLOCK_BYTES);
        session = new SessionInSteps(network.clock(), 4);
        sender = new Sender(
                SessionParts.of(
                        session.session(),
                        request(DIGEST, CHUNK, bitsPerSecond, TIMEOUT_MS),
                        ledger,
                        LimitGate.ofClient(limits),
                        new RateLimit(0, session.session().clock()),
                        SpreadWatch.NONE),
                sources);
    }

    public static TransferPlan request(NodeHash hash, int chunkBytes, long bitsPerSecond, long timeoutMs) {
        return TransferPlan.of(Direction.PUSH, List.of(), TransferPlan.DEV_NULL)
                .with(CopyValue.EXISTING, Existing.OVERWRITE)
                .with(CopyValue.PRESERVE, Set.of())
                .lanes(1)
                .with(CopyValue.DIGEST, hash.digest())
                .with(CopyValue.SUMS, hash.sums())
                .with(CopyValue.RATE_LIMIT, bitsPerSecond)
                .with(CopyValue.CHUNK_BYTES, chunkBytes)
                .with(CopyValue.TIMEOUT_MS, timeoutMs)
                .request();
    }

    /** A chunk as a lane sent it. */
    record Chunk(
            int fileId, long offset, int attempt, byte[] bytes, ChunkTrailer.Status status, boolean digestIsRight) {
        boolean isSound() {
            return status == ChunkTrailer.Status.SOUND && digestIsRight;
        }
    }

    /** The receiver's end of a lane. */
    final class RemoteServer implements LaneHandler {
        final Lane near;
        final Lane far;
        private final ByteArrayOutputStream came = new ByteArrayOutputStream();
        private boolean closed;

        RemoteServer(Lane near, Lane far) {
            this.near = near;
            this.far = far;
        }

        boolean isClosed() {
            return closed;
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            byte[] bytes = new byte[block.buffer().remaining()];
            block.buffer().get(bytes);
            came.writeBytes(bytes);
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {
            closed = true;
        }

        /** Returns the chunks that have arrived since the last call; all of them must be complete. */
        List<Chunk> takeChunks() {
            ByteBuffer bytes = ByteBuffer.allocateDirect(came.size() + 1);
            bytes.put(came.toByteArray()).flip();
            came.reset();
            List<Chunk> chunks = new ArrayList<>();
            while (bytes.hasRemaining()) {
                chunks.add(chunk(bytes));
            }
            return chunks;
        }

        private Chunk chunk(ByteBuffer bytes) {
            long address = Libc.addressOf(bytes);
            ChunkHeader header = new ChunkHeader();
            assertThat(header.read(bytes, session.session().tag())).isNull();
            TreeDigest digest = new TreeDigest(DIGEST);
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            for (int leaf = 0; leaf < header.leaves() && !header.isDigestOnly(); leaf++) {
                byte[] data = new byte[header.leafBytes(leaf)];
                digest.addLeaf(bytes, address, bytes.position(), data.length);
                bytes.get(data);
                content.writeBytes(data);
            }
            ChunkTrailer trailer = new ChunkTrailer(DIGEST);
            assertThat(trailer.read(bytes)).isTrue();
            byte[] computed = new byte[DIGEST.lengthBytes()];
            digest.finish(computed);
            return new Chunk(
                    header.fileId(),
                    header.offset(),
                    header.attempt(),
                    content.toByteArray(),
                    trailer.status(),
                    trailer.matches(computed));
        }
    }

    RemoteServer openLane(int index) {
        return openLane(index, near -> near);
    }

    /** Adds a lane, wrapped for the sender by {@code as}. */
    RemoteServer openLane(int index, UnaryOperator<Lane> as) {
        LanePairs.Pair lane = pairs.open();
        RemoteServer end = new RemoteServer(lane.near(), lane.far());
        end.far.start(end);
        lane.near().start(sender.onLane(index, 0, as.apply(lane.near())));
        settle();
        return end;
    }

    /** Runs until nothing is left to do; time passes only for scheduled tasks. */
    void settle() {
        pairs.settle(session::runPosted);
    }

    /** Makes the sender offer everything, and returns the number of entries. */
    int offerAll() {
        sender.begin();
        while (sender.work()) {
            // Page after page.
        }
        return sent(TransferMessage.ManifestPage.class).stream()
                .mapToInt(page -> page.entries().size())
                .sum();
    }

    /** Delivers a message from the receiver. */
    void hear(ControlMessage message) {
        sender.onMessage(message);
        settle();
    }

    /** Answers that the receiver needs all offered entries, with these exceptions. */
    void decide(int count, Verdict... exceptions) {
        hear(new TransferMessage.Verdicts(0, count, List.of(exceptions)));
    }

    static Verdict verdict(int id, VerdictKind kind) {
        return new Verdict(id, kind, List.of(), null);
    }

    void acknowledge(List<Chunk> chunks) {
        hear(new TransferMessage.Acknowledged(
                chunks.stream().mapToInt(Chunk::fileId).toArray(),
                chunks.stream().mapToLong(Chunk::offset).toArray(),
                chunks.stream().mapToInt(chunk -> chunk.bytes().length).toArray()));
    }

    void done(int... ids) {
        byte[] digests = new byte[ids.length * DIGEST.lengthBytes()];
        Arrays.fill(digests, (byte) 9);
        hear(new TransferMessage.FilesDone(ids, digests));
    }

    <M extends ControlMessage> List<M> sent(Class<M> kind) {
        return session.takeSent(kind);
    }

    List<FailedFile> failedFiles() {
        return ledger.failedFiles();
    }

    /** Lets this time pass, then lets the session check its lanes. */
    void pass(long ms) {
        if (idle == null) {
            LanePairs.Pair lane = pairs.open();
            idle = lane.near();
            idle.start(new RemoteServer(idle, lane.far()));
        }
        idle.schedule(() -> {}, ms, TimeUnit.MILLISECONDS);
        settle();
        sender.onTick();
        settle();
    }

    long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(network.clock().nanoTime());
    }

    static RawPath path(String name) {
        return RawPath.ofText(name);
    }

    @Override
    public void close() {
        sender.close(null);
        pairs.close();
        session.close();
    }
}
