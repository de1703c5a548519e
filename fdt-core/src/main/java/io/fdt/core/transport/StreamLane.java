package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane over a {@link LaneStream}. Received bytes are collected in one block until there are as many as the handler
 * requests. Before the lane is started, it reads nothing and has no blocks.
 */
public final class StreamLane extends ThreadedLane {
    public static final int SEND_BLOCKS = 3;

    /** How long a send may wait for room before received data and tasks are handled. */
    private static final int ROOM_WAIT_MS = 10;

    private static final long ROOM_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(ROOM_WAIT_MS);

    private final LaneStream stream;
    private final Runnable onAdmitted;

    private @Nullable LaneMemory memory;
    private @Nullable Delivery delivery;
    private @Nullable TransferException sendFailure;
    private long sendWaitNanos;

    // Receiving: the received and unconsumed bytes are between consumed and filled.
    private @Nullable LaneBlock received;
    private int consumedBytes;
    private int filledBytes;
    private boolean peerEnded;

    /**
     * @param onAdmitted called when the owner has authenticated the peer
     * @param onEnded called when the lane has ended and holds no resources
     */
    public StreamLane(
            LaneStream stream,
            String description,
            WakeUp wakeUp,
            LaneNames names,
            Runnable onAdmitted,
            Consumer<ThreadedLane> onEnded) {
        super(stream.peer(), description, SEND_BLOCKS, BLOCK_BYTES, wakeUp, names, onEnded);
        this.stream = stream;
        this.onAdmitted = onAdmitted;
    }

    @Override
    protected void begin(Delivery toHandler, int threadNumber) {
        stream.begin(threadNumber, this::isEnding);
        delivery = toHandler;
        int receiveBytes = BLOCK_BYTES - 1 + stream.leastRoomBytes();
        int spare = stream.spareBlocks();
        LaneMemory blocks = new LaneMemory(spare > 0, parts(receiveBytes, SEND_BLOCKS + spare));
        memory = blocks;
        received = blocks.cut(null, receiveBytes);
        for (int i = 0; i < spare; i++) {
            stream.addSpare(blocks.cut(this, BLOCK_BYTES));
        }
    }

    private static int[] parts(int receiveBytes, int sendBlocks) {
        int[] parts = new int[1 + sendBlocks];
        Arrays.fill(parts, BLOCK_BYTES);
        parts[0] = receiveBytes;
        return parts;
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
    protected void free() {
        if (isBrokenOff()) {
            stream.breakOff();
        }
        stream.close();
        // A handler that keeps a block also keeps the memory. The kernel keeps the pages that it still sends from.
        if (memory != null && !holdsBlocks()) {
            memory.close();
        }
    }

    @Override
    protected void endUnstarted() {
        var unused = stream.endSending();
    }

    @Override
    protected void await(WakeUp woken, long idleNanos) {
        stream.await(!peerEnded, isSending(), woken, idleNanos);
    }

    // ---- What the owner asks of the stream.

    @Override
    public void admitted() {
        onAdmitted.run();
    }

    @Override
    public boolean isClear() {
        return stream.isClear();
    }

    @Override
    public Connection connection() {
        return stream.connection();
    }

    @Override
    public @Nullable DirectStream takeOver() {
        boolean idle = isDelivering() && hasAllBlocks() && !stream.hasPending() && filledBytes == consumedBytes;
        DirectStream direct = idle && !peerEnded ? stream.direct() : null;
        return direct == null ? null : new DirectLaneStream(direct, this::isEnding);
    }

    @Override
    public int dropAhead(int lengthBytes) {
        return isDelivering() ? stream.dropAhead(lengthBytes) : 0;
    }

    // ---- Sending.

    @Override
    public long sendWaitNanos() {
        return sendWaitNanos;
    }

    private boolean isSending() {
        return (hasOutgoing() || stream.hasPending()) && sendFailure == null;
    }

    @Override
    protected void push() {
        moveOut();
        long patienceNanos = ROOM_WAIT_NANOS;
        while (isSending() && patienceNanos > 0 && !isEnding()) {
            long started = System.nanoTime();
            boolean room = stream.awaitRoom(ROOM_WAIT_MS);
            long waited = System.nanoTime() - started;
            sendWaitNanos += waited;
            patienceNanos -= waited;
            if (!room) {
                return;
            }
            moveOut();
        }
    }

    /** A failure is reported after everything that had been received before it was delivered. */
    @Override
    protected boolean moveOut() {
        boolean moved = false;
        try {
            while (sendFailure == null && stream.flush() && hasOutgoing()) {
                LaneBlock first = firstOutgoing();
                ByteBuffer bytes = first.buffer();
                int position = bytes.position();
                stream.send(first);
                moved |= bytes.position() != position;
                boolean full = stream.hasPending() || bytes.hasRemaining();
                if (!bytes.hasRemaining()) {
                    removeOutgoing();
                    onFree(stream.exchange(first));
                }
                if (full) {
                    return moved;
                }
            }
        } catch (TransferException failure) {
            sendFailure = failure;
        }
        return moved;
    }

    // ---- Receiving.

    @Override
    protected boolean moveIn(boolean moved) {
        if (phase() == Phase.CLOSING) {
            endStreamWhenSent();
        }
        LaneBlock block = received;
        Delivery toHandler = delivery;
        boolean came = block != null && toHandler != null && pumpIn(toHandler, block);
        TransferException failure = sendFailure;
        if (!moved && !came && phase() == Phase.RUNNING && failure != null) {
            // There is nothing left to read that could explain more.
            endNow(failure);
        }
        return came;
    }

    private boolean pumpIn(Delivery toHandler, LaneBlock block) {
        if (phase() == Phase.ENDED || peerEnded) {
            return false;
        }
        boolean running = phase() == Phase.RUNNING;
        if (running && (!isDelivering() || !makeRoom(toHandler, block))) {
            // Its end is among the tasks.
            return true;
        }
        int came;
        try {
            came = running ? stream.receive(block, filledBytes) : stream.receiveUnneeded(block);
        } catch (TransferException failure) {
            if (phase() == Phase.DRAINING) {
                end();
            }
            endNow(failure);
            return true;
        }
        if (came == DirectStream.END) {
            onEndOfStream(toHandler, block);
            return true;
        }
        if (came > 0 && running) {
            filledBytes += came;
            deliver(toHandler, block, false);
        }
        return came > 0;
    }

    private void deliver(Delivery toHandler, LaneBlock block, boolean atEnd) {
        try {
            consumedBytes = toHandler.handOut(block, consumedBytes, filledBytes, filledBytes, atEnd);
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
        }
    }

    /**
     * Moves a remainder to the front of the block if the requested bytes, or the next received ones, do not fit behind
     * it. Usually there is none. Returns false if the handler failed.
     */
    private boolean makeRoom(Delivery toHandler, LaneBlock block) {
        if (filledBytes == consumedBytes) {
            filledBytes = 0;
            consumedBytes = 0;
            return true;
        }
        int capacity = block.capacity();
        boolean fits;
        try {
            fits = capacity - consumedBytes >= toHandler.wantedBytes()
                    && capacity - filledBytes >= stream.leastRoomBytes();
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
            return false;
        }
        if (!fits) {
            block.buffer().limit(filledBytes).position(consumedBytes).compact();
            filledBytes -= consumedBytes;
            consumedBytes = 0;
        }
        return true;
    }

    private void onEndOfStream(Delivery toHandler, LaneBlock block) {
        peerEnded = true;
        switch (phase()) {
            case RUNNING -> {
                deliver(toHandler, block, true);
                if (isDelivering()) {
                    int left = filledBytes - consumedBytes;
                    // The system reports a lost connection only once, and afterwards an end of stream.
                    endNow(
                            left == 0
                                    ? sendFailure
                                    : lost("it disconnected with " + left + " bytes of an unfinished message"));
                }
            }
            case CLOSING -> {} // It continues to receive what the peer sent before.
            case DRAINING, ENDED -> end();
        }
    }

    /** Ends our stream after everything that was sent, then waits for the peer to end its own. */
    private void endStreamWhenSent() {
        TransferException failure = sendFailure;
        if (failure != null) {
            endNow(peerEnded ? lost("it closed the connection before everything was sent") : failure);
            return;
        }
        try {
            if (!hasOutgoing() && stream.endSending()) {
                drain();
                if (peerEnded) {
                    end();
                }
            }
        } catch (TransferException broken) {
            endNow(broken);
        }
    }
}
