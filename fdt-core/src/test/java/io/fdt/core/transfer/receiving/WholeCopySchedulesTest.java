package io.fdt.core.transfer.receiving;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.control.SessionHandler;
import io.fdt.core.control.SessionInSteps;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.sending.Sender;
import io.fdt.core.transfer.sending.SendingSide;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.Schedules;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A whole copy, of one file in memory: a sender and a receiver with a thread for both sessions, one for each of two
 * lanes, and the flusher's.
 */
final class WholeCopySchedulesTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    private static final int LANES = 2;
    private static final List<ByteBuffer> MEMORY =
            List.of(ByteBuffer.allocateDirect(LEAF + 4096), ByteBuffer.allocateDirect(LEAF + 4096));

    /** What happens to a lane with the first block that it sends. */
    private enum Fate {
        LASTS,
        /** It is lost, and what it sent as well. */
        LOSES,
        /** It is lost after what it sent has arrived. */
        IS_LOST
    }

    /** Both ends of a lane, on one thread: what the sender sends is received within the call, unless it is cut off. */
    private static final class Joint implements Lane {
        private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        private final Piece block;
        private Fate fate = Fate.LASTS;
        private volatile boolean cut;
        private boolean over;
        private @Nullable LaneHandler sending;
        private @Nullable LaneHandler receiving;

        private static final class Piece extends Block {
            Piece(ByteBuffer memory) {
                super(memory, Libc.addressOf(memory));
            }

            Piece taken() {
                take();
                return this;
            }

            void sent() {
                giveUp();
            }

            @Override
            protected void onReleased() {}
        }

        Joint(int index) {
            block = new Piece(MEMORY.get(index));
        }

        void join(LaneHandler sender, LaneHandler receiver) {
            sending = sender;
            receiving = receiver;
            sender.onSendable();
        }

        void run() throws InterruptedException {
            while (!over) {
                tasks.take().run();
            }
        }

        @Override
        public void start(LaneHandler handler) {
            throw new AssertionError("it runs on a thread of the scenario");
        }

        @Override
        public @Nullable Block acquire() {
            return cut ? null : block.taken();
        }

        @Override
        public void send(Block sent) {
            block.sent();
            LaneHandler other = receiving;
            if (fate == Fate.LOSES) {
                abort(Cause.CONNECTION_LOST.failure("cut"));
            }
            if (!cut && other != null) {
                other.onReceived(sent);
            }
            if (fate == Fate.IS_LOST) {
                abort(Cause.CONNECTION_LOST.failure("cut"));
            }
        }

        @Override
        public int blockBytes() {
            return block.capacity();
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void schedule(Runnable task, long delay, TimeUnit unit) {
            throw new AssertionError("time stands still");
        }

        @Override
        public void close() {
            end(null);
        }

        @Override
        public void abort(TransferException cause) {
            cut = true;
            end(cause);
        }

        private void end(@Nullable TransferException cause) {
            execute(() -> {
                LaneHandler near = sending;
                LaneHandler far = receiving;
                if (!over && near != null && far != null) {
                    over = true;
                    near.onClosed(cause);
                    far.onClosed(cause);
                }
            });
        }

        @Override
        public String peer() {
            return "peer";
        }

        @Override
        public boolean isClear() {
            return true;
        }

        @Override
        public String description() {
            return "joint";
        }
    }

    /** One file, whose content does not matter. */
    private static final class OneFile implements Sources {
        private final ArrayDeque<FileEntry> entries = new ArrayDeque<>();

        OneFile(long sizeBytes) {
            entries.add(Entries.file("f", sizeBytes));
        }

        @Override
        public @Nullable FileEntry next() {
            return entries.poll();
        }

        @Override
        public SourceFile open(FileEntry entry) {
            return new SourceFile() {
                @Override
                public int read(long address, int lengthBytes, long offset) {
                    return lengthBytes;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public boolean isSingleFile() {
            return false;
        }

        @Override
        public void close() {}
    }

    private record OneTarget(StrictTarget file) implements Target {
        @Override
        public Outcome prepare(FileEntry entry) {
            return new Outcome.Wanted(file, List.of(), null);
        }

        @Override
        public Outcome prepareChanged(FileEntry entry) {
            throw new AssertionError("nothing is compared");
        }

        @Override
        public void keep(FileEntry entry) {
            throw new AssertionError("nothing is compared");
        }

        @Override
        public void syncFileSystem() {}

        @Override
        public void syncRest() {}

        @Override
        public void finishDirectories(BiConsumer<RawPath, TransferException> problems) {}

        @Override
        public long freeBytes() {
            return Long.MAX_VALUE;
        }

        @Override
        public void close() {}
    }

    private static final class Copy {
        final SessionInSteps here = new SessionInSteps(() -> 0, LANES);
        final SessionInSteps there = here.otherEnd();
        final TransferFigures sent = new TransferFigures();
        final TransferFigures received = new TransferFigures();
        final StrictTarget target = new StrictTarget();
        final long sizeBytes;
        final Sender sender;
        final Receiver receiver;
        final Joint[] lanes = new Joint[LANES];

        Copy(long sizeBytes) {
            this.sizeBytes = sizeBytes;
            TransferPlan request =
                    SendingSide.request(DigestKind.NONE, LEAF, 0, 30_000).with(CopyValue.LANES, LaneRange.fixed(LANES));
            sender = new Sender(parts(here, sent, request), new OneFile(sizeBytes));
            receiver = new Receiver(
                    parts(there, received, request),
                    new Targets(null, single -> new OneTarget(target), request, true, null, null));
            // The last one is the first one to wait for work, and so the first one to be called.
            for (int i = LANES - 1; i >= 0; i--) {
                Joint lane = new Joint(i);
                lane.join(sender.onLane(i, 0, lane), receiver.onLane(i, 0, lane));
                lanes[i] = lane;
            }
            here.runPosted();
            there.runPosted();
        }

        private static SessionParts parts(SessionInSteps steps, TransferFigures figures, TransferPlan request) {
            return SessionParts.of(
                    steps.session(),
                    request,
                    new Ledger(figures, new TransferObserver() {}),
                    LimitGate.ofClient(TransferLimits.NONE),
                    new RateLimit(0, () -> 0),
                    SpreadWatch.NONE);
        }

        /** The work of both sessions' threads. */
        void control() {
            try {
                sender.begin();
                while (sender.finished() == null) {
                    here.runPosted();
                    sender.work();
                    pass(here, receiver);
                    there.runPosted();
                    receiver.work();
                    pass(there, sender);
                    Thread.onSpinWait();
                }
            } finally {
                sender.close(null);
                for (Joint lane : lanes) {
                    lane.close();
                }
            }
        }

        private static void pass(SessionInSteps from, SessionHandler to) {
            for (ControlMessage message : from.takeSent(ControlMessage.class)) {
                if (!(message instanceof SessionMessage.Counted)) {
                    to.onMessage(message);
                }
            }
        }

        void requireWhole() {
            receiver.close(null);
            require(sent.filesFailed.get() + received.filesFailed.get() == 0, "nothing fails");
            require(sent.bytesMoved.get() == sizeBytes, "the sender counts each byte once, not " + sent.bytesMoved);
            require(received.bytesMoved.get() == sizeBytes, "so does the receiver, not " + received.bytesMoved);
            require(target.published == 1 && target.abandoned == 0, "the file has its name");
        }
    }

    @Test
    void twoLanesSendTheLastChunksOfAFile() {
        Schedules.explore(30, () -> {
            Copy copy = new Copy(2L * LEAF);
            together(copy::control, copy.lanes[0]::run, copy.lanes[1]::run);
            copy.requireWhole();
        });
    }

    @Test
    void theWorkThatALostLaneTookWithItIsDoneByTheOther() {
        Schedules.explore(30, () -> {
            Copy copy = new Copy(2L * LEAF);
            copy.lanes[1].fate = Fate.LOSES;
            together(copy::control, copy.lanes[0]::run, copy.lanes[1]::run);
            copy.requireWhole();
        });
    }

    /** Acknowledged before or after the lane's claims return to the queue, or while another lane sends it again. */
    @Test
    void whatALaneSentBeforeItWasLostCountsOnce() {
        Schedules.explore(30, () -> {
            Copy copy = new Copy(2L * LEAF);
            copy.lanes[1].fate = Fate.IS_LOST;
            together(copy::control, copy.lanes[0]::run, copy.lanes[1]::run);
            copy.requireWhole();
        });
    }

    /** It may be called for work that it then leaves to the other one, which waits. */
    @Test
    void aLaneThatRetiresLeavesItsWorkToTheOther() {
        Schedules.explore(30, () -> {
            // So little that only one lane is called.
            Copy copy = new Copy(LEAF / 2);
            copy.sender.onMessage(new TransferMessage.RetireLanes(new int[] {1}));
            together(copy::control, copy.lanes[0]::run, copy.lanes[1]::run);
            copy.requireWhole();
            require(copy.sent.bytesResent.get() == 0, "nothing is sent twice");
        });
    }
}
