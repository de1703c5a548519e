package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A lane without a peer, which keeps its tasks for the test to run. */
public final class IdleLane implements Lane {
    public final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    public final List<Runnable> scheduled = new ArrayList<>();

    private static final class Memory extends Block {
        Memory() {
            this(ByteBuffer.allocateDirect(ThreadedLane.BLOCK_BYTES));
        }

        private Memory(ByteBuffer memory) {
            super(memory, Libc.addressOf(memory));
            take();
        }

        @Override
        protected void onReleased() {}
    }

    @Override
    public void start(LaneHandler handler) {}

    @Override
    public Block acquire() {
        return new Memory();
    }

    @Override
    public void send(Block block) {}

    @Override
    public int blockBytes() {
        return ThreadedLane.BLOCK_BYTES;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        scheduled.add(task);
    }

    @Override
    public void close() {}

    @Override
    public void abort(TransferException cause) {}

    @Override
    public String peer() {
        return "nobody";
    }

    @Override
    public boolean isClear() {
        return true;
    }

    @Override
    public String description() {
        return "idle";
    }
}
