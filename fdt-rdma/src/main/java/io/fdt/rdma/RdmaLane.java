package io.fdt.rdma;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Delivery;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DirectLaneStream;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.EventDescriptor;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.ThreadedLane;
import io.fdt.core.transport.WakeUp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane over a reliable connection. Blocks are written directly into the peer's, as many as it has granted; the
 * immediate data of a write contains the block's index, and wakes the peer. There are two other messages: the number of
 * blocks that are free again, and the end of the stream. A lane has no thread until it is started; data that the peer
 * sends before waits in the blocks granted to it.
 *
 * <p>A stream in order ends with its end message; a connection that ends without it is lost. An end that receives the
 * message sends its own before it disconnects, so each side knows that the other has received everything.
 *
 * <p>Fields belong to the lane's thread. Sending and receiving allocate nothing.
 */
final class RdmaLane extends ThreadedLane {
    private static final int WORD_GIVEN_BACK = 1;

    private static final int WORD_END = 2;

    private static final String MEANINGLESS = "it sent unknown messages";

    /** How long to wait for the end message of an unstarted lane to reach the peer. */
    private static final long FAREWELL_MS = 1_000;

    /** A busy-polling thread checks for events of the connection once in this many rounds. */
    private static final int ROUNDS_BETWEEN_EVENTS = 4096;

    private final QueuePair pair;
    private final Hello peerBlocks;
    private final Runnable onAdmitted;

    // Sending.
    private final Credits credits;
    private final SentBlocks sent;
    /** Made once: a completion allocates nothing. */
    private final Consumer<LaneBlock> freed = this::onFree;

    private int unsignaled;
    private int signaledInFlight;
    private boolean wordInFlight;
    private boolean endPosted;
    private boolean endConfirmed;

    private final Received received;
    private @Nullable Delivery delivery;
    private boolean peerEnded;

    /** Why the connection is no longer usable; null while it is. Data received before is still delivered. */
    private @Nullable TransferException broken;

    private @Nullable CmEvent event;
    private int rounds;

    /**
     * @param onEnded called after the lane has ended and released its resources
     * @param onAdmitted called when the peer has been authenticated, or the lane has ended
     * @param names of the threads of the transport's lanes
     */
    RdmaLane(
            QueuePair pair,
            Hello peerBlocks,
            String peer,
            String description,
            Consumer<ThreadedLane> onEnded,
            Runnable onAdmitted,
            LaneNames names)
            throws IOException {
        super(
                peer,
                description,
                pair.settings.blocks().toSend(),
                Math.min(pair.settings.blocks().bytes(), peerBlocks.blockBytes()),
                new EventDescriptor(),
                names,
                onEnded);
        this.pair = pair;
        this.peerBlocks = peerBlocks;
        this.onAdmitted = onAdmitted;
        int receiveBlocks = pair.settings.blocks().toReceive();
        credits = new Credits(peerBlocks.blocks(), receiveBlocks);
        sent = new SentBlocks(pair.settings.blocks().toSend(), 0);
        LaneBlock[] blocks = new LaneBlock[receiveBlocks];
        for (int index = 0; index < receiveBlocks; index++) {
            blocks[index] = pair.receiveBlock(index);
        }
        received = new Received(blocks, pair.jointBlock());
    }

    @Override
    public boolean isClear() {
        return true;
    }

    @Override
    public void admitted() {
        onAdmitted.run();
    }

    @Override
    protected void begin(Delivery toHandler, int threadNumber) {
        delivery = toHandler;
        event = new CmEvent();
    }

    @Override
    protected LaneBlock newSendBlock(int index) {
        return pair.sendBlock(this, index, blockBytes());
    }

    @Override
    protected void free() {
        onAdmitted.run();
        pair.close();
        if (event != null) {
            event.close();
        }
    }

    /** Sends the end message. The peer need not receive it if it has disconnected. */
    @Override
    protected void endUnstarted() {
        try {
            postEnd();
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FAREWELL_MS);
            while (!endConfirmed && broken == null && System.nanoTime() - deadline < 0) {
                pollCompletions();
                Verbs.await(0, 0, -1, 1);
            }
        } catch (IOException gone) {
            // The peer detects that this end has disconnected.
        }
    }

    @Override
    protected boolean moveOut() throws IOException {
        boolean moved = pollCompletions();
        push();
        return moved;
    }

    @Override
    protected boolean moveIn(boolean moved) throws IOException {
        Delivery toHandler = delivery;
        if (toHandler == null) {
            throw new IllegalStateException("the lane has not begun");
        }
        boolean came = pumpIn(toHandler);
        giveBack(!moved && !came);
        if (phase() == Phase.CLOSING && !hasOutgoing() && !endPosted && broken == null) {
            postEnd();
        }
        settle(toHandler);
        return came;
    }

    // ---- Called by the lane's own thread while it uses the lane by copying.

    @Override
    public @Nullable DirectStream takeOverByCopying() {
        return isDelivering() ? new DirectLaneStream(new CopyingStream(this), this::isEnding) : null;
    }

    @Override
    public @Nullable DeviceQueues openQueues() {
        byte[] gid = new byte[RdmaQueues.GID_BYTES];
        Verbs.localGid(pair.id, gid);
        try {
            return new RdmaQueues(pair.device, gid, pair.settings.packetBytes());
        } catch (UncheckedIOException refused) {
            throw Cause.NO_RDMA.failure(
                    "no queues beside the lane to " + peer() + ": " + refused.getMessage(), refused);
        }
    }

    /** Copies bytes into a block and sends it; returns their number, 0 if no block became free in that time. */
    int sendCopy(long address, int lengthBytes, long waitMs) {
        try {
            Block block = freeBlock();
            if (block == null && waitMs > 0) {
                idle(null, waitMs);
                block = freeBlock();
            }
            if (block == null) {
                return 0;
            }
            int count = Math.min(lengthBytes, blockBytes());
            Verbs.copy(block.address(), address, count);
            block.buffer().clear().limit(count);
            send(block);
            return count;
        } catch (IOException failed) {
            throw lost(String.valueOf(failed.getMessage()));
        }
    }

    private @Nullable Block freeBlock() throws IOException {
        pollCompletions();
        push();
        if (broken != null) {
            throw broken;
        }
        beginTurn();
        Block block = acquire();
        if (block == null) {
            // There is now a thread that waits for a block.
            push();
        }
        return block;
    }

    /**
     * Passes up to this many bytes to the sink; returns their number, 0 if none arrived in that time, or {@link
     * DirectStream#END}.
     */
    int receive(Received.Sink sink, int mostBytes, long waitMs) {
        try {
            int came = take(sink, mostBytes);
            if (came == 0 && waitMs > 0 && !peerEnded && broken == null) {
                idle(null, waitMs);
                came = take(sink, mostBytes);
            }
            if (came == 0 && peerEnded) {
                return DirectStream.END;
            }
            if (came == 0 && broken != null) {
                throw broken;
            }
            return came;
        } catch (IOException failed) {
            throw lost(String.valueOf(failed.getMessage()));
        }
    }

    private int take(Received.Sink sink, int mostBytes) throws IOException {
        pollCompletions();
        push();
        int came = received.take(sink, mostBytes);
        giveBack(came == 0);
        return came;
    }

    // ---- Waiting.

    @Override
    protected void await(WakeUp woken, long idleNanos) throws IOException {
        idle(woken, TimeUnit.NANOSECONDS.toMillis(idleNanos + 999_999));
    }

    /** Waits for something to do: by polling, by sleeping, or by one after the other. */
    private void idle(@Nullable WakeUp woken, long idleMs) throws IOException {
        switch (pair.settings.waiting().completions()) {
            case BUSY_POLL -> {
                Thread.onSpinWait();
                if (++rounds % ROUNDS_BETWEEN_EVENTS == 0) {
                    sleep(woken, 0);
                }
            }
            case EVENT -> armAndSleep(woken, idleMs);
            case ADAPTIVE -> {
                long until = System.nanoTime() + pair.settings.waiting().spinUs() * 1_000L;
                while (System.nanoTime() - until < 0) {
                    if ((woken != null && woken.isRung()) || pollCompletions()) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                armAndSleep(woken, idleMs);
            }
        }
    }

    /** Completions between the last poll and arming cause no event, so this polls once more. */
    private void armAndSleep(@Nullable WakeUp woken, long idleMs) throws IOException {
        pair.arm();
        if (!pollCompletions()) {
            sleep(woken, idleMs);
        }
    }

    private void sleep(@Nullable WakeUp woken, long timeoutMs) throws IOException {
        int there = pair.await(woken == null ? -1 : woken.descriptor(), timeoutMs);
        CmEvent own = event;
        if ((there & Verbs.EVENTS) == 0 || own == null) {
            return;
        }
        while (pair.takeEvent(own)) {
            if (own.kind() == CmEvent.DISCONNECTED || own.kind() == CmEvent.DEVICE_REMOVAL) {
                // Data received before the loss is in the completions, which are processed first.
                drainCompletions();
                breakOff(
                        own.kind() == CmEvent.DISCONNECTED
                                ? "it disconnected without ending its stream"
                                : "the RDMA device was removed");
            }
        }
    }

    private void drainCompletions() throws IOException {
        boolean more = true;
        while (more) {
            more = pollCompletions();
        }
    }

    private void breakOff(String why) {
        if (broken == null) {
            broken = lost(why);
        }
    }

    // ---- Completions.

    private boolean pollCompletions() throws IOException {
        int count = pair.poll();
        for (int completion = 0; completion < count; completion++) {
            int kind = pair.kind(completion);
            int status = pair.status(completion);
            if (kind == QueuePair.KIND_RECEIVE) {
                pair.received(pair.number(completion));
            }
            if (status != 0) {
                if (status != WorkLayout.STATUS_FLUSHED) {
                    breakOff(Verbs.completionText(status));
                } else if (kind == QueuePair.KIND_RECEIVE) {
                    breakOff("it disconnected without ending its stream");
                }
                continue;
            }
            switch (kind) {
                case QueuePair.KIND_RECEIVE -> onReceived(completion);
                case QueuePair.KIND_BLOCK -> onCompleted(pair.number(completion));
                case QueuePair.KIND_WORD -> onWordSent(pair.number(completion));
                default -> throw new IllegalStateException("completion of kind " + kind);
            }
        }
        if (count > 0) {
            pair.postReceives();
        }
        return count > 0;
    }

    /** All blocks up to this one have been written. */
    private void onCompleted(int number) {
        signaledInFlight--;
        sent.completeThrough(number, freed);
    }

    private void onWordSent(int word) {
        if (word == WORD_END) {
            endConfirmed = true;
        } else {
            wordInFlight = false;
        }
    }

    private void onReceived(int completion) {
        int request = pair.number(completion);
        if (broken != null && peerEnded) {
            return;
        }
        if (pair.opcode(completion) == WorkLayout.COMPLETED_RECEIVE_WITH_IMMEDIATE) {
            onBlock(pair.immediate(completion), pair.lengthBytes(completion));
        } else if (pair.lengthBytes(completion) != QueuePair.WORD_BYTES) {
            breakOff(MEANINGLESS);
        } else {
            onWord(pair.wordKind(request), pair.wordValue(request), pair.wordBlock(request));
        }
        pair.repost(request);
    }

    private void onWord(int kind, int value, long block) {
        switch (kind) {
            case WORD_END -> peerEnded = true;
            case WORD_GIVEN_BACK -> {
                if (!credits.onGivenBack(value)) {
                    breakOff("it returned blocks that were not filled");
                }
            }
            case QueuePair.WORD_FILLED -> onBlock(block, value);
            default -> breakOff(MEANINGLESS);
        }
    }

    /** The peer announces that it has filled a block. */
    private void onBlock(long index, int lengthBytes) {
        boolean right = received.mayArrive()
                && index == received.nextIndex()
                && lengthBytes >= 0
                && lengthBytes <= pair.settings.blocks().bytes()
                && !peerEnded;
        if (right) {
            received.arrive(lengthBytes);
        } else {
            breakOff("it wrote to a block out of order");
        }
    }

    // ---- Sending.

    /** Posts the blocks that the peer has room for, as one chain. */
    @Override
    protected void push() {
        if (broken != null) {
            return;
        }
        try {
            while (hasOutgoing() && credits.available() > 0) {
                LaneBlock block = firstOutgoing();
                removeOutgoing();
                ByteBuffer bytes = block.buffer();
                int index = credits.fill();
                boolean signaled = ++unsignaled >= pair.settings.blocks().signalEvery();
                if (signaled) {
                    unsignaled = 0;
                    signaledInFlight++;
                }
                pair.chainWrite(
                        block.address() + bytes.position(),
                        bytes.remaining(),
                        peerBlocks.address() + (long) index * peerBlocks.strideBytes(),
                        peerBlocks.key(),
                        index,
                        signaled,
                        sent.post(block));
            }
            pair.postChain();
            // Without a signaled write in flight, no completion would report a free block to the thread that waits for
            // one.
            if (awaitsBlock() && signaledInFlight == 0 && !sent.isEmpty()) {
                unsignaled = 0;
                signaledInFlight++;
                pair.postMark(peerBlocks.address(), peerBlocks.key(), sent.newest());
            }
        } catch (IOException failed) {
            breakOff(String.valueOf(failed.getMessage()));
        }
    }

    /** Reports to the peer which blocks it may fill again. One message at a time: the next has a higher count. */
    private void giveBack(boolean idle) throws IOException {
        if (!wordInFlight && broken == null && !peerEnded && credits.shouldTell(received.givenBack(), idle)) {
            wordInFlight = true;
            pair.postWord(WORD_GIVEN_BACK, credits.announce(received.givenBack()));
        }
    }

    // ---- Receiving.

    private boolean pumpIn(Delivery toHandler) {
        if (phase() != Phase.RUNNING) {
            received.drop();
            return false;
        }
        try {
            return received.deliver(toHandler, false);
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
            return true;
        }
    }

    // ---- The end.

    private void postEnd() throws IOException {
        endPosted = true;
        pair.postWord(WORD_END, 0);
    }

    private void settle(Delivery toHandler) throws IOException {
        switch (phase()) {
            case RUNNING -> {
                if (!isDelivering()) {
                    return;
                }
                if (peerEnded) {
                    onEndOfStream(toHandler);
                } else if (broken != null) {
                    endNow(broken);
                }
            }
            case CLOSING -> {
                // A peer that has ended its stream first need not have waited for what was still in flight.
                if (endConfirmed || (peerEnded && broken != null)) {
                    drain();
                } else if (broken != null) {
                    endNow(broken);
                }
            }
            case DRAINING -> {
                if ((endConfirmed && peerEnded) || broken != null) {
                    end();
                }
            }
            case ENDED -> {}
        }
    }

    private void onEndOfStream(Delivery toHandler) throws IOException {
        try {
            received.deliver(toHandler, true);
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
            return;
        }
        if (!isDelivering()) {
            return;
        }
        int left = received.left();
        if (left != 0) {
            endNow(lost("it disconnected with " + left + " bytes of an unfinished message"));
            return;
        }
        if (broken == null) {
            postEnd();
        }
        drain();
    }
}
