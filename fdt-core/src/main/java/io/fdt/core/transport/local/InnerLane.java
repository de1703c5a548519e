package io.fdt.core.transport.local;

import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.Delivery;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneMemory;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.ThreadedLane;
import io.fdt.core.transport.WakeUp;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane within this process. Both ends share one thread: when this end has sent a block, the handler of the
 * {@linkplain #far other end} has received it, in the same memory and while it is in the CPU cache. Data goes only in
 * that direction, and each message lies within one block. Start the other end first.
 */
public final class InnerLane extends ThreadedLane {
    /** One to fill, and one that the other end may use as room to read into. */
    private static final int BLOCKS = 2;

    private static final String DESCRIPTION = Carrier.MEMORY.label() + ", clear";

    private final Sleep sleep;
    private final Far far = new Far();
    private @Nullable LaneMemory memory;
    private @Nullable Delivery toFar;
    private long farNanos;

    /** The lane's thread waits for nothing but tasks. */
    private static final class Sleep extends WakeUp {
        private volatile @Nullable Thread sleeper;

        Sleep() {
            super(-1);
        }

        @Override
        protected void raise(int eventDescriptor) {
            LockSupport.unpark(sleeper);
        }

        @Override
        protected void lower(int eventDescriptor) {}

        @Override
        protected void free(int eventDescriptor) {}
    }

    /** @param onEnded called when the lane has ended and holds no resources */
    public InnerLane(String peer, LaneNames names, Consumer<ThreadedLane> onEnded) {
        this(peer, new Sleep(), names, onEnded);
    }

    private InnerLane(String peer, Sleep sleep, LaneNames names, Consumer<ThreadedLane> onEnded) {
        super(peer, DESCRIPTION, BLOCKS, BLOCK_BYTES, sleep, names, onEnded);
        this.sleep = sleep;
    }

    /** The end that receives. */
    public Lane far() {
        return far;
    }

    @Override
    protected void begin(Delivery delivery, int threadNumber) {
        sleep.sleeper = Thread.currentThread();
        memory = new LaneMemory(BLOCK_BYTES, BLOCK_BYTES);
        LaneHandler handler = far.handler;
        if (handler == null) {
            throw new IllegalStateException("the other end has not been started");
        }
        toFar = new Delivery(handler, BLOCK_BYTES, this::isDelivering);
        handler.onSendable();
    }

    @Override
    protected LaneBlock newSendBlock(int index) {
        LaneMemory blocks = memory;
        if (blocks == null) {
            throw new IllegalStateException("the lane has not begun");
        }
        return blocks.cut(this, BLOCK_BYTES);
    }

    @Override
    protected void push() {
        long started = System.nanoTime();
        var unused = moveOut();
        farNanos += System.nanoTime() - started;
    }

    /** While the other end works, this one waits for it, as it would for a network. */
    @Override
    public long sendWaitNanos() {
        return farNanos;
    }

    @Override
    protected boolean moveOut() {
        if (!hasOutgoing()) {
            return false;
        }
        LaneBlock block = firstOutgoing();
        removeOutgoing();
        try {
            deliver(block);
        } catch (RuntimeException | Error failure) {
            far.abort(TransferException.of(failure));
        }
        onFree(block);
        return true;
    }

    private void deliver(LaneBlock block) {
        ByteBuffer bytes = block.buffer();
        int end = bytes.limit();
        Delivery delivery = toFar;
        if (delivery == null) {
            throw new IllegalStateException("the lane has not begun");
        }
        int consumed = delivery.handOut(block, bytes.position(), end, end, false);
        if (consumed < end && isDelivering()) {
            throw new IllegalStateException("a message does not lie within one block");
        }
    }

    @Override
    protected boolean moveIn(boolean moved) {
        if (phase() != Phase.CLOSING) {
            return false;
        }
        endNow(null);
        return true;
    }

    @Override
    protected void await(WakeUp woken, long idleNanos) {
        if (!woken.isRung()) {
            LockSupport.parkNanos(this, idleNanos);
        }
    }

    @Override
    protected void endUnstarted() {}

    @Override
    protected void free() {
        try {
            far.onEnded();
        } finally {
            if (memory != null && !holdsBlocks()) {
                memory.close();
            }
        }
    }

    @Override
    public boolean isClear() {
        return true;
    }

    /** The other end: its calls are those of the same thread. */
    private final class Far implements Lane {
        private volatile @Nullable LaneHandler handler;
        private volatile @Nullable TransferException cause;

        @Override
        public void start(LaneHandler laneHandler) {
            handler = laneHandler;
        }

        void onEnded() {
            LaneHandler notified = handler;
            TransferException own = cause;
            if (notified != null) {
                notified.onClosed(own != null || !isBrokenOff() ? own : lost("it has ended the lane"));
            }
        }

        /** Whatever this end has sent in this turn of the thread. */
        @Override
        public @Nullable Block acquire() {
            beginTurn();
            return InnerLane.this.acquire();
        }

        @Override
        public void send(Block block) {
            throw new IllegalStateException("this end only receives");
        }

        @Override
        public int blockBytes() {
            return InnerLane.this.blockBytes();
        }

        @Override
        public void execute(Runnable task) {
            InnerLane.this.execute(task);
        }

        @Override
        public void schedule(Runnable task, long delay, TimeUnit unit) {
            InnerLane.this.schedule(task, delay, unit);
        }

        @Override
        public void close() {
            InnerLane.this.close();
        }

        @Override
        public void abort(TransferException why) {
            if (cause == null) {
                cause = why;
            }
            InnerLane.this.abort(lost(String.valueOf(why.getMessage())));
        }

        @Override
        public String peer() {
            return InnerLane.this.peer();
        }

        @Override
        public boolean isClear() {
            return true;
        }

        @Override
        public String description() {
            return DESCRIPTION;
        }
    }
}
