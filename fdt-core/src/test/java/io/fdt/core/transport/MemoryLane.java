package io.fdt.core.transport;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One end of a lane in memory. Sent data becomes a parcel for the other end, which splits it at random places. */
final class MemoryLane implements Lane {
    /** What travels: bytes with the release of their block, or the end of the stream. */
    private record Parcel(
            @Nullable ByteBuffer bytes,
            Runnable onTaken,
            @Nullable TransferException reset) {}

    private final MemoryWorkers workers;
    private final String name;
    private final SplittableRandom random;
    private final int blockBytes;
    private final String peer;
    private @Nullable MemoryLane remoteEnd;
    private int connection;
    private boolean ofClient;
    private MemoryNetwork.Wire path = MemoryNetwork.Wire.PERFECT;

    // Guarded by this.
    private MemoryWorkers.@Nullable Worker worker;
    private final List<Runnable> beforeStart = new ArrayList<>();
    private boolean abandoned;
    private @Nullable TransferException abandonCause;

    // Owned by the worker.
    private final Queue<Parcel> wire = new ArrayDeque<>();
    private final ArrayDeque<MemoryBlock> free = new ArrayDeque<>();
    private final MemoryBlock receiveBlock;
    private @Nullable LaneHandler handler;
    private int consumed;
    private int filled;
    private long sentBytes;
    private boolean starved;
    private volatile boolean closesInOrder;
    private boolean closing;
    private boolean closed;

    private final class MemoryBlock extends Block {
        MemoryBlock() {
            this(ByteBuffer.allocateDirect(blockBytes));
        }

        private MemoryBlock(ByteBuffer memory) {
            super(memory, Libc.addressOf(memory));
        }

        void takeIt() {
            take();
        }

        void giveItUp() {
            giveUp();
        }

        boolean isOf(MemoryLane lane) {
            return lane == MemoryLane.this;
        }

        @Override
        protected void onReleased() {
            onFree(this);
        }
    }

    MemoryLane(MemoryWorkers workers, String name, SplittableRandom random, int blockBytes, int blocks, String peer) {
        this.workers = workers;
        this.name = name;
        this.random = random;
        this.blockBytes = blockBytes;
        this.peer = peer;
        this.receiveBlock = new MemoryBlock();
        for (int index = 0; index < blocks; index++) {
            free.add(new MemoryBlock());
        }
    }

    /** Makes this the client's end of a connection. */
    void connectAs(int number, MemoryNetwork.Wire over) {
        connection = number;
        path = over;
        ofClient = true;
    }

    /** Makes this the server's end of a client's connection. */
    void join(MemoryLane client) {
        remoteEnd = client;
        connection = client.connection;
        path = client.path;
        client.remoteEnd = this;
    }

    // ---- Any thread.

    @Override
    public void start(LaneHandler laneHandler) {
        synchronized (this) {
            if (worker != null) {
                throw new IllegalStateException("the lane has been started already");
            }
            MemoryWorkers.Worker own = workers.newWorker(name);
            worker = own;
            own.execute(() -> begin(laneHandler));
            beforeStart.forEach(own::execute);
            beforeStart.clear();
        }
    }

    private void onWorker(Runnable task) {
        MemoryWorkers.Worker own;
        synchronized (this) {
            own = worker;
            if (own == null) {
                beforeStart.add(task);
                return;
            }
        }
        own.execute(task);
    }

    @Override
    public void execute(Runnable task) {
        onWorker(() -> runTask(task));
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        MemoryWorkers.Worker own;
        synchronized (this) {
            own = worker;
        }
        if (own == null) {
            onWorker(() -> schedule(task, delay, unit));
        } else {
            own.schedule(() -> runTask(task), delay, unit);
        }
    }

    @Override
    public void close() {
        if (!abandon(null)) {
            closesInOrder = true;
            onWorker(this::endInOrder);
        }
    }

    /** Aborts the lane, unless an orderly close has begun. */
    void abortUnlessClosing(TransferException cause) {
        if (!closesInOrder) {
            abort(cause);
        }
    }

    @Override
    public void abort(TransferException cause) {
        if (!abandon(cause)) {
            closing = true;
            onWorker(() -> endNow(cause));
        }
    }

    private synchronized boolean abandon(@Nullable TransferException cause) {
        if (worker != null) {
            return false;
        }
        if (!abandoned) {
            abandoned = true;
            abandonCause = cause;
            notifyPeer(cause);
        }
        return true;
    }

    void awaitEnd() {
        MemoryWorkers.Worker own;
        synchronized (this) {
            own = worker;
        }
        if (own != null) {
            own.awaitEnd();
        }
    }

    @Override
    public int blockBytes() {
        return blockBytes;
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
        return "memory, clear";
    }

    // ---- The worker.

    private void begin(LaneHandler laneHandler) {
        handler = laneHandler;
        boolean never;
        TransferException cause;
        synchronized (this) {
            never = abandoned;
            cause = abandonCause;
        }
        if (never) {
            finish(cause);
        } else {
            callSendable();
        }
    }

    private void runTask(Runnable task) {
        if (!closed) {
            guarded(task);
        }
    }

    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            closing = true;
            onWorker(() -> endNow(TransferException.of(e)));
        }
    }

    @Override
    public @Nullable Block acquire() {
        if (closing || closed) {
            return null;
        }
        MemoryBlock block = free.poll();
        if (block == null) {
            starved = true;
            return null;
        }
        block.takeIt();
        return block;
    }

    @Override
    public void send(Block block) {
        if (!(block instanceof MemoryBlock own) || !own.isOf(this)) {
            throw new IllegalArgumentException("this block is not of this lane");
        }
        own.giveItUp();
        if (closing || closed || !own.buffer().hasRemaining()) {
            onFree(own);
            return;
        }
        ByteBuffer copy = ByteBuffer.allocate(own.buffer().remaining());
        copy.put(own.buffer()).flip();
        int arriving = path.pass(connection, ofClient, sentBytes, copy.duplicate());
        sentBytes += copy.remaining();
        boolean cut = arriving < copy.remaining();
        toPeer(new Parcel(copy.limit(arriving), () -> onWorker(() -> onFree(own)), null));
        if (cut) {
            closing = true;
            onWorker(() -> endNow(Cause.CONNECTION_LOST.failure("lost the connection to " + peer + ": reset")));
        }
    }

    private void onFree(MemoryBlock block) {
        free.add(block);
        if (starved && !closing) {
            starved = false;
            onWorker(this::callSendable);
        }
    }

    private void callSendable() {
        if (!closing && handler != null) {
            guarded(handler::onSendable);
        }
    }

    private void toPeer(Parcel parcel) {
        MemoryLane far = remoteEnd;
        if (far != null) {
            far.onWorker(() -> far.onParcel(parcel));
        }
    }

    private void notifyPeer(@Nullable TransferException cause) {
        TransferException reset = cause == null
                ? null
                : Cause.CONNECTION_LOST.failure(
                        "lost the connection to " + (remoteEnd == null ? "nobody" : remoteEnd.peer) + ": reset");
        toPeer(new Parcel(null, () -> {}, reset));
    }

    private void onParcel(Parcel parcel) {
        if (closed) {
            parcel.onTaken().run();
            return;
        }
        wire.add(parcel);
        while (!wire.isEmpty() && !closing) {
            Parcel next = wire.element();
            if (next.bytes() == null) {
                wire.remove();
                onEnd(next.reset());
                return;
            }
            receive(next.bytes());
            if (!next.bytes().hasRemaining()) {
                wire.remove();
                next.onTaken().run();
            }
            deliver(false);
        }
    }

    private void receive(ByteBuffer bytes) {
        if (consumed > 0) {
            receiveBlock.buffer().limit(filled).position(consumed);
            receiveBlock.buffer().compact();
            filled -= consumed;
            consumed = 0;
        }
        int most = Math.min(bytes.remaining(), blockBytes - filled);
        int count = random.nextInt(3) == 0 ? random.nextInt(1, most + 1) : most;
        ByteBuffer cut = bytes.slice(bytes.position(), count);
        receiveBlock.buffer().clear().position(filled);
        receiveBlock.buffer().put(cut);
        bytes.position(bytes.position() + count);
        filled += count;
    }

    private void deliver(boolean ended) {
        if (handler == null) {
            return;
        }
        LaneHandler owner = handler;
        guarded(() -> {
            while (!closing && filled > consumed) {
                int wanted = owner.wantedBytes();
                if (filled - consumed < wanted && !ended) {
                    return;
                }
                receiveBlock.buffer().limit(filled).position(consumed);
                owner.onReceived(receiveBlock);
                int position = receiveBlock.buffer().position();
                if (position == consumed) {
                    if (ended) {
                        return;
                    }
                    if (owner.wantedBytes() <= wanted) {
                        throw new IllegalStateException("the handler took nothing and wants no more than before");
                    }
                }
                consumed = position;
            }
        });
    }

    private void onEnd(@Nullable TransferException reset) {
        if (reset == null) {
            deliver(true);
        }
        if (closing) {
            return;
        }
        finish(
                reset != null || filled == consumed
                        ? reset
                        : Cause.CONNECTION_LOST.failure("lost the connection to " + peer + ": it ended too early"));
    }

    private void endInOrder() {
        if (!closing) {
            notifyPeer(null);
            finish(null);
        }
    }

    private void endNow(TransferException cause) {
        if (!closed) {
            notifyPeer(cause);
            finish(cause);
        }
    }

    private void finish(@Nullable TransferException cause) {
        closing = true;
        closed = true;
        wire.forEach(parcel -> parcel.onTaken().run());
        wire.clear();
        MemoryWorkers.Worker own;
        synchronized (this) {
            own = worker;
        }
        try {
            if (handler != null) {
                handler.onClosed(cause);
            }
        } finally {
            if (own != null) {
                own.end();
            }
        }
    }
}
