package io.fdt.core.transfer.receiving;

import io.fdt.core.control.SessionInSteps;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.transfer.LaneWatch;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.sending.SendingSide;
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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A receiver with its session and lanes, run on the test's thread, that writes into memory. The test is the sender: it
 * offers files and sends valid and invalid chunks. The flusher has its own thread, which runs within the test's steps.
 */
final class ReceivingSide implements AutoCloseable {
    static final int LEAF = TreeDigest.LEAF_BYTES;
    static final int CHUNK = 2 * LEAF;
    static final NodeHash DIGEST =
            Checksums.of(List.of(FileHash.ADLER32, FileHash.CRC32C)).beside(DigestKind.XXH3_128);
    private static final int BLOCK_BYTES = LEAF + 4096;
    static final long TIMEOUT_MS = 30_000;

    final TransferFigures figures = new TransferFigures();
    final Ledger ledger = new Ledger(figures, new TransferObserver() {});
    /** The limit of this side. Its clock stands still, so it counts what was taken from it. */
    final RateLimit rate;

    final SessionInSteps session;
    final Receiver receiver;
    final LaneWatch lanes;
    /** Directories that cannot be completed at the end. */
    final List<RawPath> incompleteDirectories = new ArrayList<>();
    /** Numbers of files that already exist. */
    final Set<Integer> there = new HashSet<>();
    /** Numbers of files that exist and must be compared. */
    final Set<Integer> compared = new HashSet<>();
    /** Files that were compared and kept. */
    final List<RawPath> kept = new ArrayList<>();
    /** Why a file that was compared cannot be kept; null if it can. */
    @Nullable Cause keepFailure;
    /** Whether preparing any offered file fails. */
    boolean fails;
    /** Why the offered files are not resumed; null where there is nothing to resume. */
    @Nullable String dropped;

    private final boolean givesOwners;
    private final NodeHash digest;
    private final List<FakeTarget> targets = new ArrayList<>();
    private final MemoryNetwork network;
    private final LanePairs pairs;

    /** @param seed determines where the bytes of a lane are split */
    ReceivingSide(long seed) {
        this(seed, true);
    }

    /** @param givesOwners whether the target can give files to other users */
    ReceivingSide(long seed, boolean givesOwners) {
        this(seed, givesOwners, 0);
    }

    /** A side of a copy with another digest. */
    ReceivingSide(NodeHash digest) {
        this(digest, 1);
    }

    ReceivingSide(NodeHash digest, long seed) {
        this(seed, true, 0, digest);
    }

    ReceivingSide(long seed, boolean givesOwners, long rateBitsPerSecond) {
        this(seed, givesOwners, rateBitsPerSecond, DIGEST);
    }

    private ReceivingSide(long seed, boolean givesOwners, long rateBitsPerSecond, NodeHash digest) {
        this.givesOwners = givesOwners;
        this.digest = digest;
        network = MemoryNetwork.inSteps(seed);
        pairs = new LanePairs(network, BLOCK_BYTES);
        session = new SessionInSteps(network.clock(), 4);
        rate = new RateLimit(rateBitsPerSecond, () -> 0);
        TransferPlan request =
                SendingSide.request(digest, CHUNK, 0, TIMEOUT_MS).with(CopyValue.LANES, new LaneRange(2, 3, 4));
        SessionParts parts = SessionParts.of(
                session.session(), request, ledger, LimitGate.ofClient(TransferLimits.NONE), rate, SpreadWatch.NONE);
        lanes = parts.lanes();
        receiver = new Receiver(parts, new Targets(null, single -> new FakeTree(), request, true, null, null));
        network.awaitSleepers(1);
        receiver.onMessage(new TransferMessage.SourceShape(false));
    }

    /** The sender's end of a lane. */
    final class NearEnd implements LaneHandler {
        final Lane lane;
        private boolean closed;

        NearEnd(Lane lane) {
            this.lane = lane;
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
            throw new AssertionError("a receiver has nothing to say on a lane");
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {
            closed = true;
        }

        void send(ByteBuffer bytes) {
            while (bytes.hasRemaining() && !closed) {
                Block block = lane.acquire();
                if (block == null) {
                    settle();
                    continue;
                }
                int count = Math.min(block.buffer().remaining(), bytes.remaining());
                block.buffer().put(bytes.slice(bytes.position(), count)).flip();
                bytes.position(bytes.position() + count);
                lane.send(block);
            }
            settle();
        }
    }

    /** A chunk in the sender's frame format; a test changes fields to make it invalid. */
    final class Frame {
        long tag = session.session().tag();
        int fileId;
        long offset;
        int attempt;
        byte[] bytes;
        long map;
        boolean digestOnly;
        ChunkTrailer.Status status = ChunkTrailer.Status.SOUND;
        boolean digestIsRight = true;
        /** False for a sender whose own checksum, the last one, differs from that of the bytes that it sends. */
        boolean checksumIsRight = true;
        /** False for a trailer that was damaged on its way. */
        boolean trailerIsWhole = true;

        Frame(int fileId, long offset, byte[] bytes) {
            this.fileId = fileId;
            this.offset = offset;
            this.bytes = bytes;
            this.map = ChunkHeader.fullMap(bytes.length);
        }

        ByteBuffer encoded() {
            ByteBuffer out = ByteBuffer.allocateDirect((map == 0 ? 0 : bytes.length) + 512);
            long address = Libc.addressOf(out);
            ChunkHeader header = new ChunkHeader();
            header.set(tag, fileId, attempt, offset, bytes.length, map);
            if (digestOnly) {
                header.setDigestOnly(tag, fileId, offset, bytes.length);
            }
            header.write(out);
            TreeDigest tree = new TreeDigest(digest);
            for (int leaf = 0; leaf < header.leaves(); leaf++) {
                int length = header.leafBytes(leaf);
                if (!header.hasLeaf(leaf)) {
                    tree.addZeroLeaf(length);
                    continue;
                }
                out.put(bytes, leaf * LEAF, length);
                tree.addLeaf(out, address, out.position() - length, length);
            }
            ChunkTrailer trailer = new ChunkTrailer(digest);
            tree.finish(trailer.digest());
            if (!digestIsRight) {
                trailer.digest()[0] ^= 1;
            }
            if (!checksumIsRight) {
                trailer.digest()[digest.lengthBytes() - 1] ^= 1;
            }
            trailer.setStatus(status);
            trailer.write(out);
            if (!trailerIsWhole) {
                int last = out.position() - 1;
                out.put(last, (byte) (out.get(last) ^ 1));
            }
            return out.flip();
        }
    }

    NearEnd openLane(int index) {
        LanePairs.Pair lane = pairs.open();
        NearEnd end = new NearEnd(lane.near());
        lane.near().start(end);
        lane.far().start(receiver.onLane(index, 0, lane.far()));
        settle();
        return end;
    }

    /** Offers files of these sizes, all of which the receiver needs. */
    void offer(int... sizes) {
        int first = targets.size();
        List<FileEntry> entries = new ArrayList<>();
        for (int size : sizes) {
            String name = "f" + (first + entries.size());
            entries.add(Entries.file(name, size));
        }
        hear(new TransferMessage.ManifestPage(first, entries));
    }

    /** Offers one file in ranges: the last of them, of one byte. */
    void offerRange() {
        long rangeBytes = FileRange.MIN_BYTES;
        FileRange last = new FileRange(rangeBytes, rangeBytes + 1, rangeBytes);
        hear(new TransferMessage.ManifestPage(
                targets.size(), List.of(Entries.file("f", rangeBytes + 1).ranged(last))));
    }

    FakeTarget target(int id) {
        return targets.get(id);
    }

    void hear(ControlMessage message) {
        if (message instanceof TransferMessage.Finish) {
            // The receiver waits for its flusher.
            network.letGo();
        }
        receiver.onMessage(message);
        settle();
    }

    void pass(long ms) {
        network.pass(ms);
    }

    void settle() {
        pairs.settle(session::runPosted);
    }

    <M extends ControlMessage> List<M> sent(Class<M> kind) {
        return session.takeSent(kind);
    }

    @Override
    public void close() {
        network.letGo();
        receiver.close(null);
        pairs.close();
        session.close();
    }

    private final class FakeTree implements Target {
        @Override
        public boolean givesOwners() {
            return givesOwners;
        }

        @Override
        public Outcome prepare(FileEntry entry) {
            if (fails) {
                throw Cause.TARGET.failure(entry.path().display() + ": cannot be made");
            }
            FakeTarget target = new FakeTarget(Math.max(0, (int) entry.sizeBytes()));
            targets.add(target);
            if (there.contains(targets.size() - 1)) {
                return new Outcome.Skipped();
            }
            if (compared.contains(targets.size() - 1)) {
                return new Outcome.Compare(target::look);
            }
            return new Outcome.Wanted(target, List.of(), dropped);
        }

        @Override
        public Outcome prepareChanged(FileEntry entry) {
            return new Outcome.Wanted(new FakeTarget((int) entry.sizeBytes()), List.of(), null);
        }

        @Override
        public void keep(FileEntry entry) {
            if (keepFailure != null) {
                throw keepFailure.failure("cannot be kept");
            }
            kept.add(entry.path());
        }

        @Override
        public void syncFileSystem() {}

        @Override
        public void syncRest() {}

        @Override
        public void finishDirectories(BiConsumer<RawPath, TransferException> problems) {
            incompleteDirectories.forEach(path -> problems.accept(path, Cause.TARGET.failure("no times here")));
        }

        @Override
        public long freeBytes() {
            return Long.MAX_VALUE;
        }

        @Override
        public void close() {}
    }

    /** A target in memory. Streams, and files of a multiple of 4 GiB, keep no data and accept only holes. */
    static final class FakeTarget implements TargetFile {
        private final byte[] content;
        /** What happens while it is published. */
        Runnable whilePublishing = () -> {};

        Runnable whileWriting = () -> {};
        boolean direct;
        boolean discards;

        volatile boolean cannotBePublished;
        volatile Cause publishFailure = Cause.TARGET;
        private volatile @Nullable Cause writeFailure;
        private volatile boolean published;
        private volatile boolean closed;
        private volatile @Nullable Boolean keptForResume;

        FakeTarget(int sizeBytes) {
            content = new byte[sizeBytes];
            Arrays.fill(content, (byte) 0xEE);
        }

        byte[] content() {
            return content.clone();
        }

        /** How often the file can be opened for a comparison before another program has changed it. */
        int looks = Integer.MAX_VALUE;

        private SourceFile look() {
            if (--looks < 0) {
                throw Cause.TARGET.failure("changed while it was compared");
            }
            return new SourceFile() {
                @Override
                public int read(long address, int lengthBytes, long offset) {
                    if (content.length == 0) {
                        Libc.memset(address, 0, lengthBytes);
                    } else {
                        Libc.bufferAt(address, lengthBytes).put(content, (int) offset, lengthBytes);
                    }
                    return lengthBytes;
                }

                @Override
                public void close() {}
            };
        }

        /** Makes all later writes fail. */
        void failWrites(Cause cause) {
            writeFailure = cause;
        }

        boolean isPublished() {
            return published;
        }

        boolean isClosed() {
            return closed;
        }

        /** Whether an abandoned file can be resumed; null if it was not abandoned. */
        @Nullable Boolean keptForResume() {
            return keptForResume;
        }

        @Override
        public boolean isDirect() {
            return direct;
        }

        @Override
        public boolean discards() {
            return discards;
        }

        @Override
        public void write(long address, int lengthBytes, long offset) {
            whileWriting.run();
            Cause cause = writeFailure;
            if (cause != null) {
                throw cause.failure("cannot write");
            }
            Libc.bufferAt(address, lengthBytes).get(content, (int) offset, lengthBytes);
        }

        @Override
        public void zero(long offset, long lengthBytes) {
            if (content.length > 0) {
                Arrays.fill(content, (int) offset, (int) (offset + lengthBytes), (byte) 0);
            }
        }

        @Override
        public void sync() {}

        @Override
        public boolean record(List<ChunkRecord> chunks) {
            return true;
        }

        @Override
        public void seal() {}

        @Override
        public void publish() {
            if (cannotBePublished) {
                whilePublishing.run();
                throw publishFailure.failure("Is a directory");
            }
            published = true;
        }

        @Override
        public boolean abandon(boolean keepForResume) {
            keptForResume = keepForResume;
            return keepForResume;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
