package io.fdt.rdma;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.LaneTasks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane over a reliable connection. Blocks are written straight into the peer's, as many as it has granted; the write's
 * immediate data says which one, and wakes the peer. Two control words go beside: so many blocks are free again, and the end
 * of the stream. Until it is started it has no thread; what the peer sends by then waits in the blocks granted to it.
 *
 * <p>A stream that ends in order ends with its word; a connection that ends without it is a loss. Whoever is told the end says
 * its own before it hangs up, so each side knows that the other had everything.
 *
 * <p>Fields without a note belong to the lane's thread. On their way nothing is allocated.
 */
final class RdmaLane implements Lane {
    private enum Phase {
        RUNNING,
        /** Closed by us; what was sent is on its way. */
        CLOSING,
        /** The handler has been told; our word of the end is on its way, or the peer's is awaited. */
        DRAINING,
        ENDED
    }

    /** One leaf and room for the headers around it. */
    static final int BLOCK_BYTES = 131_072 + 512;

    /** Control words. */
    private static final int WORD_GIVEN_BACK = 1;

    private static final int WORD_END = 2;

    /** Blocks sent in a row before received data and tasks have their turn. */
    private static final int TURN_BLOCKS = 16;

    private static final long DRAIN_MS = 10_000;

    /** How long an end that nobody waits for may take to reach the peer. */
    private static final long FAREWELL_MS = 1_000;

    private static final long LONGEST_WAIT_MS = 1_000;

    /** A thread that never sleeps looks for events of the connection once in so many rounds. */
    private static final int ROUNDS_BETWEEN_EVENTS = 4096;

    private final QueuePair pair;
    private final Hello peerBlocks;
    private final String peer;
    private final String description;
    private final Consumer<RdmaLane> onEnded;
    private final Runnable onAdmitted;
    private final LanePlaces places;
    private final WakeUp wakeUp;
    private final LaneTasks tasks;

    // Guarded by this.
    private @Nullable Thread thread;
    private boolean abandoned;
    private @Nullable TransferException abandonCause;

    private Phase phase = Phase.RUNNING;
    private @Nullable LaneHandler handler;
    private boolean stopped;
    private boolean notified;

    // Sending. In flight are the blocks from the oldest on, by turns, until one after it completes.
    private final Credits credits;
    private final RdmaBlock[] free;
    private final RdmaBlock[] inFlight;
    private final RdmaBlock[] outgoing;
    private final Consumer<RdmaBlock> onFree = this::onFree;
    private int freeCount;
    private int outgoingHead;
    private int outgoingCount;
    private int posted;
    private int completed;
    private int unsignaled;
    private int signaledInFlight;
    private int sentThisTurn;
    private boolean starved;
    private boolean wordInFlight;
    private boolean endPosted;
    private boolean endConfirmed;

    // Receiving.
    private final Received received;
    private boolean peerEnded;

    /** The connection is of no more use: what went wrong. What arrived before is still handed out. */
    private @Nullable TransferException broken;

    private @Nullable CmEvent event;
    private int rounds;

    /**
     * @param onEnded told when the lane is over and holds nothing any more
     * @param onAdmitted told when the peer has proven who it is, or the lane is over
     * @param places where its thread belongs
     */
    RdmaLane(
            QueuePair pair,
            Hello peerBlocks,
            String peer,
            String description,
            Consumer<RdmaLane> onEnded,
            Runnable onAdmitted,
            LanePlaces places)
            throws IOException {
        this.pair = pair;
        this.peerBlocks = peerBlocks;
        this.peer = peer;
        this.description = description;
        this.onEnded = onEnded;
        this.onAdmitted = onAdmitted;
        this.places = places;
        wakeUp = new WakeUp();
        tasks = new LaneTasks(wakeUp::ring);
        int sendBlocks = pair.settings.sendBlocks();
        int receiveBlocks = pair.settings.receiveBlocks();
        credits = new Credits(peerBlocks.blocks(), receiveBlocks);
        free = new RdmaBlock[sendBlocks];
        inFlight = new RdmaBlock[sendBlocks];
        outgoing = new RdmaBlock[sendBlocks];
        for (int index = 0; index < sendBlocks; index++) {
            free[index] = new RdmaBlock(pair.sendBlock(index), pair.sendBlockAddress(index), onFree);
        }
        freeCount = sendBlocks;
        RdmaBlock[] blocks = new RdmaBlock[receiveBlocks];
        for (int index = 0; index < receiveBlocks; index++) {
            blocks[index] = new RdmaBlock(pair.receiveBlock(index), pair.receiveBlockAddress(index), null);
        }
        received = new Received(
                blocks, new RdmaBlock(pair.jointBlock(), pair.jointBlockAddress(), null), this::isDelivering);
    }

    // ---- The owner's calls, on any thread.

    @Override
    public void start(LaneHandler laneHandler) {
        synchronized (this) {
            if (thread != null) {
                throw new IllegalStateException("the lane has been started already");
            }
            thread = LaneNames.newThread(places, () -> run(laneHandler));
            thread.start();
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(() -> runTask(task));
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        tasks.add(() -> runTask(task), delay, unit);
    }

    @Override
    public void admitted() {
        onAdmitted.run();
    }

    @Override
    public void close() {
        if (!abandonUnstarted(null)) {
            tasks.add(this::beginClose);
        }
    }

    @Override
    public void abort(TransferException cause) {
        if (!abandonUnstarted(cause)) {
            if (onOwnThread()) {
                stopped = true;
            }
            tasks.add(() -> endNow(cause));
        }
    }

    private synchronized boolean onOwnThread() {
        return thread == Thread.currentThread();
    }

    /** Ends a lane that has not been started; false when it has. */
    private boolean abandonUnstarted(@Nullable TransferException cause) {
        synchronized (this) {
            if (thread != null) {
                return false;
            }
            if (abandoned) {
                return true;
            }
            abandoned = true;
            abandonCause = cause;
            if (cause == null) {
                sayFarewell();
            }
            release();
        }
        onEnded.accept(this);
        return true;
    }

    /** The end in order of a lane without a thread. The peer that has gone need not hear it. */
    private void sayFarewell() {
        try {
            postEnd();
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FAREWELL_MS);
            while (!endConfirmed && broken == null && System.nanoTime() - deadline < 0) {
                pollCompletions();
                Verbs.await(0, 0, -1, 1);
            }
        } catch (IOException gone) {
            // It sees that this end has gone.
        }
    }

    /** Waits until the lane's thread has ended, where there is one. */
    void awaitEnd(long timeoutMs) throws InterruptedException {
        Thread started;
        synchronized (this) {
            started = thread;
        }
        if (started != null && timeoutMs > 0) {
            started.join(timeoutMs);
        }
    }

    /** The peer is not waited for any longer. Any thread. */
    void cutOff() {
        tasks.add(() -> phase = Phase.ENDED);
    }

    @Override
    public int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public boolean isClear() {
        return true;
    }

    @Override
    public String description() {
        return description;
    }

    // ---- The lane's thread.

    private void run(LaneHandler laneHandler) {
        handler = laneHandler;
        boolean never;
        TransferException cause;
        synchronized (this) {
            never = abandoned;
            cause = abandonCause;
        }
        if (never) {
            phase = Phase.ENDED;
            notifyClosed(cause);
            return;
        }
        try (CmEvent own = new CmEvent()) {
            event = own;
            callSendable();
            while (phase != Phase.ENDED) {
                turn(laneHandler);
            }
        } catch (IOException | RuntimeException | Error e) {
            endNow(e instanceof IOException io ? lost(String.valueOf(io.getMessage())) : TransferException.of(e));
        } finally {
            release();
            onEnded.accept(this);
        }
    }

    private void release() {
        onAdmitted.run();
        tasks.end();
        pair.close();
        wakeUp.close();
    }

    private void turn(LaneHandler laneHandler) throws IOException {
        runTasks();
        sentThisTurn = 0;
        boolean moved = pollCompletions();
        pumpOut();
        if (starved && freeCount > 0 && isDelivering()) {
            starved = false;
            callSendable();
            moved = true;
        }
        moved |= pumpIn(laneHandler);
        giveBack(!moved);
        if (phase == Phase.CLOSING && outgoingCount == 0 && !endPosted && broken == null) {
            postEnd();
        }
        settle(laneHandler);
        if (!moved && phase != Phase.ENDED) {
            idle();
        }
    }

    private void runTasks() {
        wakeUp.heard();
        // Those that they add have their turn after the bytes.
        for (int left = tasks.dueCount() + 1; left > 0; left--) {
            Runnable task = tasks.next();
            if (task == null) {
                return;
            }
            task.run();
        }
    }

    private void runTask(Runnable task) {
        if (notified || phase == Phase.ENDED) {
            return;
        }
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
        }
    }

    private boolean isDelivering() {
        return phase == Phase.RUNNING && !stopped;
    }

    private void onHandlerFailed(Throwable cause) {
        stopped = true;
        TransferException failure = TransferException.of(cause);
        tasks.add(() -> endNow(failure));
    }

    private TransferException lost(String what) {
        return new TransferException(FailureKind.CONNECTION_LOST, "lost the connection to " + peer + ": " + what);
    }

    // ---- Waiting.

    /** Waits for something to do: by asking, by sleeping, or by one after the other. */
    private void idle() throws IOException {
        RdmaSettings settings = pair.settings;
        long idleMs = tasks.idleMs(LONGEST_WAIT_MS);
        if (idleMs == 0 || (stopped && phase == Phase.RUNNING)) {
            return;
        }
        switch (settings.completions()) {
            case BUSY_POLL -> {
                Thread.onSpinWait();
                if (++rounds % ROUNDS_BETWEEN_EVENTS == 0) {
                    sleep(0);
                }
            }
            case EVENT -> armAndSleep(idleMs);
            case ADAPTIVE -> {
                long until = System.nanoTime() + settings.spinUs() * 1_000L;
                while (System.nanoTime() - until < 0) {
                    if (wakeUp.isRung() || pollCompletions()) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                armAndSleep(idleMs);
            }
        }
    }

    /** What completes between the last look and the arming gives no event, so it looks once more. */
    private void armAndSleep(long idleMs) throws IOException {
        pair.arm();
        if (!pollCompletions()) {
            sleep(idleMs);
        }
    }

    private void sleep(long timeoutMs) throws IOException {
        int there = pair.await(wakeUp.descriptor(), timeoutMs);
        CmEvent own = event;
        if ((there & Verbs.EVENTS) == 0 || own == null) {
            return;
        }
        while (pair.takeEvent(own)) {
            if (own.kind() == CmEvent.DISCONNECTED || own.kind() == CmEvent.DEVICE_REMOVAL) {
                // What had arrived before is among the completions; it comes before the loss.
                drainCompletions();
                breakOff(
                        own.kind() == CmEvent.DISCONNECTED
                                ? "it has gone without ending its stream"
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
                if (status != QueuePair.STATUS_FLUSHED) {
                    breakOff(Verbs.completionText(status));
                } else if (kind == QueuePair.KIND_RECEIVE) {
                    breakOff("it has gone without ending its stream");
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
        while (completed - number <= 0 && completed != posted) {
            int index = Math.floorMod(completed++, inFlight.length);
            onFree(inFlight[index]);
        }
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
        if (pair.opcode(completion) == QueuePair.COMPLETED_RECEIVE_WITH_IMMEDIATE) {
            int lengthBytes = pair.lengthBytes(completion);
            boolean right = received.mayArrive()
                    && pair.immediate(completion) == received.nextIndex()
                    && lengthBytes >= 0
                    && lengthBytes <= BLOCK_BYTES
                    && !peerEnded;
            if (right) {
                received.arrive(lengthBytes);
            } else {
                breakOff("it wrote to a block that is not its turn");
            }
        } else {
            onWord(pair.lengthBytes(completion), pair.wordKind(request), pair.wordValue(request));
        }
        pair.repost(request);
    }

    private void onWord(int lengthBytes, int kind, int value) {
        if (lengthBytes != 16 || (kind != WORD_END && kind != WORD_GIVEN_BACK)) {
            breakOff("it sends words that mean nothing");
        } else if (kind == WORD_END) {
            peerEnded = true;
        } else if (!credits.onGivenBack(value)) {
            breakOff("it gives back blocks that were not filled");
        }
    }

    // ---- Sending.

    @Override
    public @Nullable Block acquire() {
        if (!isDelivering()) {
            return null;
        }
        if (freeCount == 0 || sentThisTurn >= TURN_BLOCKS) {
            starved = true;
            return null;
        }
        RdmaBlock block = free[--freeCount];
        block.takeForHandler();
        return block;
    }

    @Override
    public void send(Block block) {
        if (!(block instanceof RdmaBlock own) || !own.isFor(onFree)) {
            throw new IllegalArgumentException("this block is not of this lane");
        }
        own.giveUpForSending();
        if (!isDelivering() || !own.buffer().hasRemaining()) {
            onFree(own);
            return;
        }
        sentThisTurn++;
        outgoing[(outgoingHead + outgoingCount++) % outgoing.length] = own;
        pumpOut();
    }

    private void onFree(RdmaBlock block) {
        free[freeCount++] = block;
    }

    private void callSendable() {
        LaneHandler own = handler;
        if (!isDelivering() || own == null) {
            return;
        }
        try {
            own.onSendable();
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
        }
    }

    /** Posts what the peer has blocks for, as one chain. */
    private void pumpOut() {
        if (broken != null) {
            return;
        }
        try {
            while (outgoingCount > 0 && credits.available() > 0) {
                RdmaBlock block = outgoing[outgoingHead];
                outgoingHead = (outgoingHead + 1) % outgoing.length;
                outgoingCount--;
                ByteBuffer bytes = block.buffer();
                int index = credits.fill();
                boolean signaled = ++unsignaled >= pair.settings.signalEvery();
                if (signaled) {
                    unsignaled = 0;
                    signaledInFlight++;
                }
                inFlight[Math.floorMod(posted, inFlight.length)] = block;
                pair.chainWrite(
                        block.address() + bytes.position(),
                        bytes.remaining(),
                        peerBlocks.address() + (long) index * peerBlocks.strideBytes(),
                        peerBlocks.key(),
                        index,
                        signaled,
                        posted);
                posted++;
            }
            pair.postChain();
            // Nobody would say that a block is free again, and somebody waits for one.
            if (starved && freeCount == 0 && signaledInFlight == 0 && posted != completed) {
                unsignaled = 0;
                signaledInFlight++;
                pair.postMark(peerBlocks.address(), peerBlocks.key(), posted - 1);
            }
        } catch (IOException failed) {
            breakOff(String.valueOf(failed.getMessage()));
        }
    }

    /** Tells the peer which blocks it may fill again. One word at a time: the next has a higher count. */
    private void giveBack(boolean idle) throws IOException {
        if (!wordInFlight && broken == null && !peerEnded && credits.shouldTell(received.givenBack(), idle)) {
            wordInFlight = true;
            pair.postWord(WORD_GIVEN_BACK, credits.tell(received.givenBack()));
        }
    }

    // ---- Receiving.

    private boolean pumpIn(LaneHandler laneHandler) {
        if (stopped && phase == Phase.RUNNING) {
            // Its end is among the tasks.
            return true;
        }
        if (phase != Phase.RUNNING) {
            received.drop();
            return false;
        }
        long before = received.givenBack();
        try {
            received.deliver(laneHandler, false);
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
            return true;
        }
        return received.givenBack() != before;
    }

    // ---- The end.

    private void beginClose() {
        if (isDelivering()) {
            phase = Phase.CLOSING;
        }
    }

    private void postEnd() throws IOException {
        endPosted = true;
        pair.postWord(WORD_END, 0);
    }

    /** Goes on to the next phase when its time has come. */
    private void settle(LaneHandler laneHandler) throws IOException {
        switch (phase) {
            case RUNNING -> {
                if (stopped) {
                    return;
                }
                if (peerEnded) {
                    onEndOfStream(laneHandler);
                } else if (broken != null) {
                    endNow(broken);
                }
            }
            case CLOSING -> {
                if (endConfirmed || (endPosted && peerEnded && broken != null)) {
                    drain(null);
                } else if (broken != null && peerEnded) {
                    // It ended first, and did not wait for what was still under way.
                    drain(null);
                } else if (broken != null) {
                    endNow(broken);
                }
            }
            case DRAINING -> {
                if ((endConfirmed && peerEnded) || broken != null) {
                    phase = Phase.ENDED;
                }
            }
            case ENDED -> {}
        }
    }

    private void onEndOfStream(LaneHandler laneHandler) throws IOException {
        try {
            received.deliver(laneHandler, true);
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
            return;
        }
        if (!isDelivering()) {
            return;
        }
        int left = received.left();
        if (left != 0) {
            endNow(lost("it ended in the middle, with " + left + " bytes of something unfinished"));
            return;
        }
        if (broken == null) {
            postEnd();
        }
        drain(null);
    }

    private void drain(@Nullable TransferException cause) {
        phase = Phase.DRAINING;
        tasks.add(() -> phase = Phase.ENDED, DRAIN_MS, TimeUnit.MILLISECONDS);
        notifyClosed(cause);
    }

    /** An end without waiting. After our own stream has ended there is nothing to tell any more. */
    private void endNow(@Nullable TransferException cause) {
        if (phase != Phase.DRAINING && phase != Phase.ENDED) {
            phase = Phase.ENDED;
            notifyClosed(cause);
        }
    }

    private void notifyClosed(@Nullable TransferException cause) {
        LaneHandler own = handler;
        if (!notified && own != null) {
            notified = true;
            own.onClosed(cause);
        }
    }
}
