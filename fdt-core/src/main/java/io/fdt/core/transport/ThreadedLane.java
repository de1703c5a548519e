package io.fdt.core.transport;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The life of a lane that has a thread to itself, whatever its bytes travel over. Until it is started it has no thread.
 * From there on its thread, {@code fdt-lane-N}, goes round: tasks, bytes out, bytes in, and a wait when there was
 * nothing of it. What the bytes travel over is the subclass's: it moves them, waits, and says how a stream ends.
 *
 * <p>Fields without a note belong to the lane's thread, and so do the calls of the subclass, but for the time before
 * the start. On the way of bytes nothing is allocated.
 */
public abstract class ThreadedLane implements Lane {
    protected enum Phase {
        RUNNING,
        /** Closed by us; what was sent is on its way. */
        CLOSING,
        /** The handler has been told. Our stream has ended, and the peer has not seen it or not ended its own yet. */
        DRAINING,
        ENDED
    }

    /** One leaf and room for the headers around it: the least that a block may have. */
    public static final int BLOCK_BYTES = 131_072 + 512;

    /** Blocks sent in a row before received data and tasks have their turn. */
    private static final int TURN_BLOCKS = 16;

    /** How long the peer has to end its stream after we ended ours. */
    private static final long DRAIN_MS = 10_000;

    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String peer;
    private final String description;
    private final int blockBytes;
    private final WakeUp wakeUp;
    private final LaneNames names;
    private final Consumer<ThreadedLane> onEnded;
    private final LaneTasks tasks;

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
    private boolean brokenOff;

    private final LaneBlock[] free;
    private final LaneBlock[] outgoing;
    private int freeCount;
    private int outgoingHead;
    private int outgoingCount;
    private int sentThisTurn;
    private boolean starved;

    /**
     * @param blockBytes of the blocks to send with; those that are received into have no less
     * @param wakeUp is the lane's from here on
     * @param names of the threads of its transport's lanes
     * @param onEnded told when the lane is over and holds nothing any more
     */
    protected ThreadedLane(
            String peer,
            String description,
            int sendBlocks,
            int blockBytes,
            WakeUp wakeUp,
            LaneNames names,
            Consumer<ThreadedLane> onEnded) {
        this.peer = peer;
        this.description = description;
        this.blockBytes = blockBytes;
        this.wakeUp = wakeUp;
        this.names = names;
        this.onEnded = onEnded;
        tasks = new LaneTasks(wakeUp::ring);
        free = new LaneBlock[sendBlocks];
        outgoing = new LaneBlock[sendBlocks];
    }

    // ---- What the bytes travel over.

    /** The lane has been started, and this is its thread, which has this number. */
    protected abstract void begin(Delivery delivery, int threadNumber) throws IOException;

    /** One of the blocks to send with, which {@link #begin} may have made ready. */
    protected abstract LaneBlock newSendBlock(int index);

    /** Takes back what has been sent, and sends what there is room for; says whether there was anything to do. */
    protected abstract boolean moveOut() throws IOException;

    /** A block has been added to those that go out: sends what there is room for. */
    protected abstract void push();

    /**
     * Receives, hands out, and goes on to the end where its time has come; says whether there was anything to do.
     *
     * @param moved there was something to do in this turn already
     */
    protected abstract boolean moveIn(boolean moved) throws IOException;

    /** Waits until there may be something to do, the lane is woken, or the time is over. */
    protected abstract void await(WakeUp woken, long idleNanos) throws IOException;

    /** Ends, in order, the stream of a lane that was never started. */
    protected abstract void endUnstarted();

    /** Frees what is the system's; the peer sees an end of everything. */
    protected abstract void free();

    // ---- The owner's calls, on any thread.

    @Override
    public final void start(LaneHandler laneHandler) {
        synchronized (this) {
            if (thread != null) {
                throw new IllegalStateException("the lane has been started already");
            }
            Thread own = names.newThread(number -> run(laneHandler, number));
            // Without a thread the lane stays one that was never started, which its owner can end.
            own.start();
            thread = own;
        }
    }

    @Override
    public final void execute(Runnable task) {
        tasks.add(() -> runTask(task));
    }

    @Override
    public final void schedule(Runnable task, long delay, TimeUnit unit) {
        tasks.add(() -> runTask(task), delay, unit);
    }

    @Override
    public final void close() {
        if (!abandonUnstarted(null)) {
            ending = true;
            tasks.add(this::beginClose);
        }
    }

    @Override
    public final void abort(TransferException cause) {
        if (!abandonUnstarted(cause)) {
            ending = true;
            if (onOwnThread()) {
                stopped = true;
            }
            tasks.add(() -> endNow(cause));
        }
    }

    final synchronized boolean onOwnThread() {
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
            brokenOff = cause != null;
            if (cause == null) {
                endUnstarted();
            }
            release();
        }
        onEnded.accept(this);
        return true;
    }

    /** Waits until the lane's thread has ended, where there is one. */
    final void awaitEnd(long timeoutMs) throws InterruptedException {
        Thread started;
        synchronized (this) {
            started = thread;
        }
        if (started != null && started != Thread.currentThread() && timeoutMs > 0) {
            started.join(timeoutMs);
        }
    }

    /** A close in order that has begun goes on. Any thread. */
    final void abortUnlessEnding(TransferException cause) {
        if (!ending) {
            abort(cause);
        }
    }

    /** The peer is not waited for any longer: it has our end, or is reset. Any thread. */
    final void cutOff(TransferException cause) {
        tasks.add(() -> {
            endNow(cause);
            end();
        });
    }

    /** Any thread. */
    protected final boolean isEnding() {
        return ending;
    }

    @Override
    public final int blockBytes() {
        return blockBytes;
    }

    @Override
    public final String peer() {
        return peer;
    }

    @Override
    public final String description() {
        return description;
    }

    // ---- The lane's thread.

    private void run(LaneHandler laneHandler, int threadNumber) {
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
            begin(new Delivery(laneHandler, blockBytes, this::isDelivering), threadNumber);
            for (freeCount = 0; freeCount < free.length; freeCount++) {
                free[freeCount] = newSendBlock(freeCount);
            }
            callSendable();
            while (phase != Phase.ENDED) {
                turn();
            }
        } catch (IOException broken) {
            endNow(lost(String.valueOf(broken.getMessage())));
        } catch (RuntimeException | Error e) {
            endNow(TransferException.of(e));
        } finally {
            release();
            onEnded.accept(this);
        }
    }

    private void release() {
        tasks.end();
        free();
        wakeUp.close();
    }

    private void turn() throws IOException {
        runTasks();
        beginTurn();
        boolean moved = moveOut();
        if (starved && freeCount > 0 && isDelivering()) {
            starved = false;
            callSendable();
            moved = true;
        }
        moved |= moveIn(moved);
        if (!moved && phase != Phase.ENDED) {
            long idleNanos = tasks.idleNanos(LONGEST_WAIT_NANOS);
            if (idleNanos > 0) {
                await(wakeUp, idleNanos);
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

    protected final Phase phase() {
        return phase;
    }

    /** Whether the handler may be called. */
    protected final boolean isDelivering() {
        return phase == Phase.RUNNING && !stopped;
    }

    /** The handler threw: it hears nothing more but its end, which is among the tasks. */
    protected final void onHandlerFailed(Throwable cause) {
        stopped = true;
        TransferException failure = TransferException.of(cause);
        tasks.add(() -> endNow(failure));
    }

    protected final TransferException lost(String what) {
        return FailureKind.CONNECTION_LOST.failure("lost the connection to " + peer + ": " + what);
    }

    // ---- Sending.

    @Override
    public final @Nullable Block acquire() {
        if (!isDelivering()) {
            return null;
        }
        if (freeCount == 0 || sentThisTurn >= TURN_BLOCKS) {
            starved = true;
            return null;
        }
        LaneBlock block = free[--freeCount];
        block.take();
        return block;
    }

    @Override
    public final void send(Block block) {
        if (!(block instanceof LaneBlock own) || !own.isOf(this)) {
            throw new IllegalArgumentException("this block is not of this lane");
        }
        own.giveUp();
        if (!isDelivering() || !own.buffer().hasRemaining()) {
            onFree(own);
            return;
        }
        sentThisTurn++;
        outgoing[(outgoingHead + outgoingCount++) % outgoing.length] = own;
        push();
    }

    /** Who goes by calls and not by turns may send on. */
    protected final void beginTurn() {
        sentThisTurn = 0;
    }

    /** The block has been sent, or was never to be. */
    protected final void onFree(LaneBlock block) {
        free[freeCount++] = block;
    }

    protected final boolean hasOutgoing() {
        return outgoingCount > 0;
    }

    /** The first of the blocks to send; there must be one. */
    protected final LaneBlock firstOutgoing() {
        return outgoing[outgoingHead];
    }

    /** The first of the blocks to send is on its way. */
    protected final void removeOutgoing() {
        outgoingHead = (outgoingHead + 1) % outgoing.length;
        outgoingCount--;
    }

    /** Whether the handler is to be told of the next free block, and there is none. */
    protected final boolean awaitsBlock() {
        return starved && freeCount == 0;
    }

    /** Whether the handler has a block for sending. */
    protected final boolean holdsBlocks() {
        return freeCount + outgoingCount < free.length;
    }

    /** Whether no block is held, being sent, or on its way. */
    protected final boolean hasAllBlocks() {
        return freeCount == free.length;
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

    // ---- The end.

    private void beginClose() {
        if (isDelivering()) {
            phase = Phase.CLOSING;
        }
    }

    /** Our stream has ended in order: the handler is told, and the peer has a while for its own end. */
    protected final void drain() {
        phase = Phase.DRAINING;
        tasks.add(this::end, DRAIN_MS, TimeUnit.MILLISECONDS);
        notifyClosed(null);
    }

    /** There is nothing to wait for any more. */
    protected final void end() {
        phase = Phase.ENDED;
    }

    /**
     * An end without waiting, with null in order. After our own stream has ended there is nothing to tell any more.
     */
    protected final void endNow(@Nullable TransferException cause) {
        if (phase != Phase.DRAINING && phase != Phase.ENDED) {
            phase = Phase.ENDED;
            brokenOff = cause != null;
            notifyClosed(cause);
        }
    }

    /** Whether the lane has ended out of order. */
    protected final boolean isBrokenOff() {
        return brokenOff;
    }

    private void notifyClosed(@Nullable TransferException cause) {
        LaneHandler own = handler;
        if (!notified && own != null) {
            notified = true;
            own.onClosed(cause);
        }
    }
}
