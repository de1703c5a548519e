package io.fdt.core.transport;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of a lane with its own thread, for any transport. Before it is started it has no thread. Its thread,
 * {@code fdt-lane-N}, then repeats: tasks, sending, receiving, and waiting if none of these had work. Subclasses
 * implement the transport: they move bytes, wait, and detect the end of a stream.
 *
 * <p>Fields without a note, and the calls of the subclass after the start, belong to the lane's thread. Moving bytes
 * allocates nothing.
 */
public abstract class ThreadedLane implements Lane {
    protected enum Phase {
        RUNNING,
        /** Closed by this side; sent data is in flight. */
        CLOSING,
        /**
         * The handler has been notified. Our stream has ended; the peer has not received its end or not ended its own
         * stream.
         */
        DRAINING,
        ENDED
    }

    /** One leaf and the headers around it: the minimum size of a block. */
    public static final int BLOCK_BYTES = 131_072 + 512;

    /** The maximum number of consecutive sends before received data and tasks are handled. */
    private static final int TURN_BLOCKS = 16;

    /** How long the peer may take to end its stream after ours has ended. */
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

    /** The lane is to end; for its thread if that waits in the kernel and not for tasks. */
    private volatile boolean ending;
    /** It leaves its session; its thread has not yet done so. */
    private volatile boolean leaving;

    private Phase phase = Phase.RUNNING;
    private @Nullable LaneHandler handler;
    private boolean stopped;
    private boolean notified;
    private boolean brokenOff;
    /** It has left a session, for another one. */
    private boolean goesOn;

    private final LaneBlock[] free;
    private final LaneBlock[] outgoing;
    private int freeCount;
    private int outgoingHead;
    private int outgoingCount;
    private int sentThisTurn;
    private boolean starved;

    /**
     * @param blockBytes size of the blocks for sending; those for receiving are at least as large
     * @param wakeUp owned by the lane from now on
     * @param names of the threads of the transport's lanes
     * @param onEnded called when the lane has ended and holds no resources
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

    // ---- The transport.

    /** Called first on the lane's thread, which has this number. */
    protected abstract void begin(Delivery delivery, int threadNumber) throws IOException;

    /** Returns one of the blocks for sending, which {@link #begin} may have prepared. */
    protected abstract LaneBlock newSendBlock(int index);

    /** Reclaims sent blocks, and sends as much as possible; returns whether there was anything to do. */
    protected abstract boolean moveOut() throws IOException;

    /** A block was added to the outgoing ones: sends as much as possible. */
    protected abstract void push();

    /**
     * Receives, delivers, and proceeds to the end when it is due; returns whether there was anything to do.
     *
     * @param moved whether there was anything to do earlier in this turn
     */
    protected abstract boolean moveIn(boolean moved) throws IOException;

    /** Waits until there may be something to do, the lane is woken, or the time is over. */
    protected abstract void await(WakeUp woken, long idleNanos) throws IOException;

    /** Ends the stream of a lane that was never started, in order. */
    protected abstract void endUnstarted();

    /** Frees system resources; the peer sees the end of everything. */
    protected abstract void free();

    // ---- Calls of the owner, on any thread.

    @Override
    public final void start(LaneHandler laneHandler) {
        synchronized (this) {
            if (thread != null) {
                throw new IllegalStateException("the lane has been started already");
            }
            Thread own = names.newThread(number -> run(laneHandler, number));
            // Without a thread, the lane counts as never started, so its owner can end it.
            Threads.start(own);
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

    @Override
    public final void leave() {
        if (!abandonUnstarted(null)) {
            leaving = true;
            tasks.add(() -> runTask(this::leaveNow));
        }
    }

    private void leaveNow() {
        LaneHandler own = handler;
        goesOn = own != null && isDelivering() && own.onLeft();
        if (!goesOn) {
            close();
        }
        leaving = false;
    }

    @Override
    public final void abortUnlessLeaving(TransferException cause) {
        if (leaving) {
            // After its thread has left.
            tasks.add(() -> {
                if (!goesOn) {
                    endNow(cause);
                }
            });
        } else {
            abort(cause);
        }
    }

    final synchronized boolean onOwnThread() {
        return thread == Thread.currentThread();
    }

    /** Ends a lane that has not been started; false if it has. */
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

    /** Waits until the lane's thread, if there is one, has ended. */
    final void awaitEnd(long timeoutMs) throws InterruptedException {
        Thread started;
        synchronized (this) {
            started = thread;
        }
        if (started != null && started != Thread.currentThread() && timeoutMs > 0) {
            started.join(timeoutMs);
        }
    }

    /** Aborts the lane unless an orderly close has begun. Thread-safe. */
    final void abortUnlessEnding(TransferException cause) {
        if (!ending) {
            abort(cause);
        }
    }

    /** Stops waiting for the peer: it has received our end, or gets a reset. Thread-safe. */
    final void cutOff(TransferException cause) {
        tasks.add(() -> {
            endNow(cause);
            end();
        });
    }

    /** Thread-safe. */
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
            try {
                release();
            } finally {
                onEnded.accept(this);
            }
        }
    }

    private void release() {
        tasks.end();
        try {
            free();
        } finally {
            wakeUp.close();
        }
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
        // Tasks that these add run after the bytes.
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

    /** The handler threw: its only further call is its end, which is among the tasks. */
    protected final void onHandlerFailed(Throwable cause) {
        stopped = true;
        TransferException failure = TransferException.of(cause);
        tasks.add(() -> endNow(failure));
    }

    protected final TransferException lost(String what) {
        return Cause.CONNECTION_LOST.failure("lost the connection to " + peer + ": " + what);
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

    /** Code that does not run in turns may continue to send. */
    protected final void beginTurn() {
        sentThisTurn = 0;
    }

    /** The block was sent, or will not be sent. */
    protected final void onFree(LaneBlock block) {
        free[freeCount++] = block;
    }

    protected final boolean hasOutgoing() {
        return outgoingCount > 0;
    }

    /** The first outgoing block; there must be one. */
    protected final LaneBlock firstOutgoing() {
        return outgoing[outgoingHead];
    }

    /** The first outgoing block has been passed on. */
    protected final void removeOutgoing() {
        outgoingHead = (outgoingHead + 1) % outgoing.length;
        outgoingCount--;
    }

    /** Whether the handler is to be notified of the next free block, and there is none. */
    protected final boolean awaitsBlock() {
        return starved && freeCount == 0;
    }

    /** Whether the handler holds a block for sending. */
    protected final boolean holdsBlocks() {
        return freeCount + outgoingCount < free.length;
    }

    /** Whether no block is held or outgoing. */
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

    /** Our stream has ended in order: notifies the handler, and gives the peer some time for its own end. */
    protected final void drain() {
        phase = Phase.DRAINING;
        tasks.add(this::end, DRAIN_MS, TimeUnit.MILLISECONDS);
        notifyClosed(null);
    }

    /** There is nothing left to wait for. */
    protected final void end() {
        phase = Phase.ENDED;
    }

    /**
     * Ends without waiting; a null cause means in order. After our own stream has ended, the handler has already been
     * notified.
     */
    protected final void endNow(@Nullable TransferException cause) {
        if (phase != Phase.DRAINING && phase != Phase.ENDED) {
            phase = Phase.ENDED;
            brokenOff = cause != null;
            notifyClosed(cause);
        }
    }

    /** Whether the lane has ended abnormally. */
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
