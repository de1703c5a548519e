package io.fdt.core.transport.local;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane inside a host, whatever its {@link LaneStream} is. Until it is started it has no thread and reads nothing. From there
 * on its thread, {@code fdt-lane-N}, goes round: tasks, bytes out, bytes in, and a wait when there was nothing of it.
 *
 * <p>Fields without a note belong to the lane's thread. On their way nothing is allocated.
 */
final class LocalLane implements Lane {
    private enum Phase {
        RUNNING,
        /** Closed by us; what was sent is on its way. */
        CLOSING,
        /** Our stream has ended; what the peer still sends is dropped until it ends its own. */
        DRAINING,
        ENDED
    }

    /** One leaf and room for the headers around it. */
    static final int BLOCK_BYTES = 131_072 + 512;

    private static final int SEND_BLOCKS = 3;

    /** Blocks sent in a row before received data and tasks have their turn. */
    private static final int TURN_BLOCKS = 16;

    /** How long the peer has to end its stream after we ended ours. */
    private static final long DRAIN_MS = 10_000;

    private static final long LONGEST_WAIT_MS = 1_000;

    private final LaneStream stream;
    private final String peer;
    private final String description;
    private final Consumer<LocalLane> onEnded;
    private final WakeUp wakeUp = new WakeUp();
    private final LaneTasks tasks = new LaneTasks(wakeUp);

    // Guarded by this.
    private @Nullable Thread thread;
    private boolean abandoned;
    private @Nullable TransferException abandonCause;

    /** Somebody wants the lane to end: for its thread, where that waits in the kernel and not for tasks. */
    private volatile boolean ending;

    private Phase phase = Phase.RUNNING;
    private @Nullable LaneHandler handler;
    private boolean stopped;
    private boolean notified;

    // Sending.
    private final LocalBlock[] free = new LocalBlock[SEND_BLOCKS];
    private final Queue<LocalBlock> outgoing = new ArrayDeque<>(SEND_BLOCKS);
    private int freeCount;
    private int sentThisTurn;
    private boolean starved;
    private @Nullable TransferException sendFailure;

    // Receiving: what has come stands between consumed and filled.
    private @Nullable LocalBlock received;
    private int consumedBytes;
    private int filledBytes;
    private boolean peerEnded;

    /** @param onEnded told when the lane is over and holds nothing any more */
    LocalLane(LaneStream stream, String description, Consumer<LocalLane> onEnded) {
        this.stream = stream;
        this.peer = stream.peer;
        this.description = description;
        this.onEnded = onEnded;
    }

    // ---- The owner's calls, on any thread.

    @Override
    public void start(LaneHandler laneHandler) {
        synchronized (this) {
            if (thread != null) {
                throw new IllegalStateException("the lane has been started already");
            }
            thread = LaneNames.newThread(() -> run(laneHandler));
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
    public void close() {
        if (!abandonUnstarted(null)) {
            ending = true;
            tasks.add(this::beginClose);
        }
    }

    @Override
    public void abort(TransferException cause) {
        if (!abandonUnstarted(cause)) {
            ending = true;
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
                stream.endSending();
            }
            release();
        }
        onEnded.accept(this);
        return true;
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
        try {
            allocate();
            callSendable();
            while (phase != Phase.ENDED) {
                turn(laneHandler);
            }
        } catch (RuntimeException | Error e) {
            endNow(TransferException.of(e));
        } finally {
            release();
            onEnded.accept(this);
        }
    }

    private void allocate() {
        received = new LocalBlock(null, BLOCK_BYTES);
        for (int index = 0; index < SEND_BLOCKS; index++) {
            free[index] = new LocalBlock(this, BLOCK_BYTES);
        }
        freeCount = SEND_BLOCKS;
    }

    /** Frees what is the kernel's; the peer sees an end of everything. */
    private void release() {
        tasks.end();
        wakeUp.close();
        stream.close();
    }

    private void turn(LaneHandler laneHandler) {
        runTasks();
        sentThisTurn = 0;
        boolean moved = pumpOut();
        if (starved && freeCount > 0 && isDelivering()) {
            starved = false;
            callSendable();
            moved = true;
        }
        if (phase == Phase.CLOSING) {
            endStreamWhenSent();
        }
        moved |= pumpIn(laneHandler);
        if (!moved && phase != Phase.ENDED) {
            if (phase == Phase.RUNNING && sendFailure != null) {
                // There is nothing left to read that could tell more.
                endNow(sendFailure);
                return;
            }
            long idleMs = tasks.idleMs(LONGEST_WAIT_MS);
            if (idleMs > 0) {
                stream.await(!peerEnded, !outgoing.isEmpty(), wakeUp.descriptor(), idleMs);
            }
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
        LocalBlock block = free[--freeCount];
        block.takeForHandler();
        return block;
    }

    @Override
    public void send(Block block) {
        if (!(block instanceof LocalBlock own) || !own.isOf(this)) {
            throw new IllegalArgumentException("this block is not of this lane");
        }
        own.giveUpForSending();
        if (!isDelivering() || !own.buffer().hasRemaining()) {
            onFree(own);
            return;
        }
        sentThisTurn++;
        outgoing.add(own);
        pumpOut();
    }

    void onFree(LocalBlock block) {
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

    /** Hands over what there is room for. A failure is told when everything that had come before it was received. */
    private boolean pumpOut() {
        boolean moved = false;
        try {
            LocalBlock first = outgoing.peek();
            while (first != null && sendFailure == null) {
                ByteBuffer bytes = first.buffer();
                int sent = stream.sendNow(first.address() + bytes.position(), bytes.remaining());
                if (sent == 0) {
                    return moved;
                }
                moved = true;
                bytes.position(bytes.position() + sent);
                if (!bytes.hasRemaining()) {
                    outgoing.remove();
                    onFree(first);
                }
                first = outgoing.peek();
            }
        } catch (TransferException failure) {
            sendFailure = failure;
        }
        return moved;
    }

    // ---- Receiving.

    private boolean pumpIn(LaneHandler laneHandler) {
        LocalBlock block = received;
        if (block == null || phase == Phase.ENDED || peerEnded) {
            return false;
        }
        if (stopped) {
            // Its end is among the tasks.
            return true;
        }
        if (phase == Phase.RUNNING) {
            makeRoom(laneHandler, block);
        } else {
            consumedBytes = 0;
            filledBytes = 0;
        }
        if (filledBytes == BLOCK_BYTES) {
            // The handler has failed; its end is among the tasks.
            return true;
        }
        int came;
        try {
            came = stream.receiveNow(block.address() + filledBytes, BLOCK_BYTES - filledBytes);
        } catch (TransferException failure) {
            if (phase == Phase.DRAINING) {
                phase = Phase.ENDED;
            }
            endNow(failure);
            return true;
        }
        if (came == LaneStream.END) {
            onEndOfStream(laneHandler, block);
            return true;
        }
        if (came > 0 && phase == Phase.RUNNING) {
            filledBytes += came;
            deliver(laneHandler, block, false);
        }
        return came > 0;
    }

    /** Hands out received bytes as long as there are as many as the handler wants, or all when the stream has ended. */
    private void deliver(LaneHandler laneHandler, LocalBlock block, boolean atEnd) {
        ByteBuffer view = block.buffer();
        try {
            while (isDelivering() && filledBytes > consumedBytes) {
                int ready = filledBytes - consumedBytes;
                int wanted = wantedBytes(laneHandler);
                if (ready < wanted && !atEnd) {
                    return;
                }
                view.limit(filledBytes).position(consumedBytes);
                laneHandler.onReceived(block);
                int position = view.position();
                if (position < consumedBytes || position > filledBytes) {
                    throw new IllegalStateException("the handler moved the position to " + position + ", outside of "
                            + consumedBytes + " to " + filledBytes);
                }
                if (position == consumedBytes) {
                    if (atEnd) {
                        return;
                    }
                    // To look and then to want more is fine.
                    if (isDelivering() && wantedBytes(laneHandler) <= wanted) {
                        throw new IllegalStateException(
                                "the handler took none of " + ready + " bytes and wants no more than before");
                    }
                }
                consumedBytes = position;
            }
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
        }
    }

    private static int wantedBytes(LaneHandler laneHandler) {
        int wanted = laneHandler.wantedBytes();
        if (wanted < 1 || wanted > BLOCK_BYTES) {
            throw new IllegalStateException("wanted are 1 to " + BLOCK_BYTES + " bytes, not " + wanted);
        }
        return wanted;
    }

    /** Moves a tail to the front of the block where the wanted bytes would not fit behind it. Mostly there is none. */
    private void makeRoom(LaneHandler laneHandler, LocalBlock block) {
        if (filledBytes == consumedBytes) {
            filledBytes = 0;
            consumedBytes = 0;
            return;
        }
        boolean fits;
        try {
            fits = BLOCK_BYTES - consumedBytes >= wantedBytes(laneHandler) && filledBytes < BLOCK_BYTES;
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
            return;
        }
        if (!fits) {
            block.buffer().limit(filledBytes).position(consumedBytes).compact();
            filledBytes -= consumedBytes;
            consumedBytes = 0;
        }
    }

    private void onEndOfStream(LaneHandler laneHandler, LocalBlock block) {
        peerEnded = true;
        switch (phase) {
            case RUNNING -> {
                deliver(laneHandler, block, true);
                if (isDelivering()) {
                    int left = filledBytes - consumedBytes;
                    endNow(
                            left == 0
                                    ? null
                                    : stream.lost(
                                            "it ended in the middle, with " + left + " bytes of something unfinished"));
                }
            }
            case CLOSING -> {} // It goes on receiving until it has what was sent before.
            case DRAINING, ENDED -> phase = Phase.ENDED;
        }
    }

    @Override
    public @Nullable DirectStream takeOver() {
        boolean idle = isDelivering()
                && freeCount == SEND_BLOCKS
                && outgoing.isEmpty()
                && filledBytes == consumedBytes
                && !peerEnded;
        return idle ? new DirectLaneStream(stream, () -> ending) : null;
    }

    // ---- The end.

    private void beginClose() {
        if (isDelivering()) {
            phase = Phase.CLOSING;
        }
    }

    /** Ends our stream behind what was sent, then waits for the peer to end its own. */
    private void endStreamWhenSent() {
        TransferException failure = sendFailure;
        if (failure != null) {
            endNow(failure);
        } else if (outgoing.isEmpty()) {
            stream.endSending();
            phase = peerEnded ? Phase.ENDED : Phase.DRAINING;
            tasks.add(() -> phase = Phase.ENDED, DRAIN_MS, TimeUnit.MILLISECONDS);
            notifyClosed(null);
        }
    }

    /** An end without a cause is one in order. After our own stream has ended there is nothing to tell any more. */
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
