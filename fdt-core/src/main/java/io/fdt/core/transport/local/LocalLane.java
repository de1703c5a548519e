package io.fdt.core.transport.local;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.Delivery;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.ThreadedLane;
import io.fdt.core.transport.WakeUp;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane inside a host, whatever its {@link LaneStream} is. Received bytes gather in one block until they are as many
 * as the handler wants. Until the lane is started it reads nothing.
 */
final class LocalLane extends ThreadedLane {
    private static final int SEND_BLOCKS = 3;

    private final LaneStream stream;

    private @Nullable Delivery delivery;
    private @Nullable TransferException sendFailure;

    // Receiving: what has come stands between consumed and filled.
    private @Nullable LaneBlock received;
    private int consumedBytes;
    private int filledBytes;
    private boolean peerEnded;

    /** @param onEnded told when the lane is over and holds nothing any more */
    LocalLane(LaneStream stream, String description, Consumer<ThreadedLane> onEnded) {
        super(stream.peer, description, SEND_BLOCKS, BLOCK_BYTES, new EventDescriptor(), LanePlaces.ANYWHERE, onEnded);
        this.stream = stream;
    }

    @Override
    protected void begin(Delivery toHandler) {
        delivery = toHandler;
        received = newBlock(null);
    }

    @Override
    protected LaneBlock newSendBlock(int index) {
        return newBlock(this);
    }

    private static LaneBlock newBlock(@Nullable LocalLane lane) {
        ByteBuffer memory = ByteBuffer.allocateDirect(BLOCK_BYTES);
        return new LaneBlock(lane, memory, Libc.addressOf(memory));
    }

    @Override
    protected void free() {
        stream.close();
    }

    @Override
    protected void endUnstarted() {
        stream.endSending();
    }

    @Override
    protected void await(WakeUp woken, long idleMs) {
        stream.await(!peerEnded, hasOutgoing(), woken.descriptor(), idleMs);
    }

    @Override
    public @Nullable DirectStream takeOver() {
        boolean idle = isDelivering() && hasAllBlocks() && filledBytes == consumedBytes && !peerEnded;
        return idle ? new DirectLaneStream(stream, this::isEnding) : null;
    }

    // ---- Sending.

    @Override
    protected void push() {
        moveOut();
    }

    /** Hands over what there is room for. A failure is told when everything that had come before it was received. */
    @Override
    protected boolean moveOut() {
        boolean moved = false;
        try {
            while (hasOutgoing() && sendFailure == null) {
                LaneBlock first = firstOutgoing();
                ByteBuffer bytes = first.buffer();
                int sent = stream.sendNow(first.address() + bytes.position(), bytes.remaining());
                if (sent == 0) {
                    return moved;
                }
                moved = true;
                bytes.position(bytes.position() + sent);
                if (!bytes.hasRemaining()) {
                    removeOutgoing();
                    onFree(first);
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
            // There is nothing left to read that could tell more.
            endNow(failure);
        }
        return came;
    }

    private boolean pumpIn(Delivery toHandler, LaneBlock block) {
        if (phase() == Phase.ENDED || peerEnded) {
            return false;
        }
        if (phase() != Phase.RUNNING) {
            consumedBytes = 0;
            filledBytes = 0;
        } else if (!isDelivering() || !makeRoom(toHandler, block)) {
            // Its end is among the tasks.
            return true;
        }
        int came;
        try {
            came = stream.receiveNow(block.address() + filledBytes, BLOCK_BYTES - filledBytes);
        } catch (TransferException failure) {
            if (phase() == Phase.DRAINING) {
                end();
            }
            endNow(failure);
            return true;
        }
        if (came == LaneStream.END) {
            onEndOfStream(toHandler, block);
            return true;
        }
        if (came > 0 && phase() == Phase.RUNNING) {
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
     * Moves a tail to the front of the block where the wanted bytes would not fit behind it. Mostly there is none.
     * False when the handler failed.
     */
    private boolean makeRoom(Delivery toHandler, LaneBlock block) {
        if (filledBytes == consumedBytes) {
            filledBytes = 0;
            consumedBytes = 0;
            return true;
        }
        boolean fits;
        try {
            fits = BLOCK_BYTES - consumedBytes >= toHandler.wantedBytes() && filledBytes < BLOCK_BYTES;
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
                    endNow(
                            left == 0
                                    ? null
                                    : stream.lost("it disconnected with " + left + " bytes of an unfinished message"));
                }
            }
            case CLOSING -> {} // It goes on receiving until it has what was sent before.
            case DRAINING, ENDED -> end();
        }
    }

    /** Ends our stream behind what was sent, then waits for the peer to end its own. */
    private void endStreamWhenSent() {
        TransferException failure = sendFailure;
        if (failure != null) {
            endNow(failure);
        } else if (!hasOutgoing()) {
            stream.endSending();
            drain();
            if (peerEnded) {
                end();
            }
        }
    }
}
