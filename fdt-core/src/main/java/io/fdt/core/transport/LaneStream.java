package io.fdt.core.transport;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a {@link StreamLane}, whatever the transport. Every failure is CONNECTION_LOST. For the lane's thread,
 * except before the lane is started.
 */
public abstract class LaneStream implements AutoCloseable {
    private final String peer;
    private boolean closed;

    protected LaneStream(String peer) {
        this.peer = peer;
    }

    public final String peer() {
        return peer;
    }

    /**
     * Called first on the lane's thread, which has this number. Everything that costs more than a socket is created
     * here.
     */
    public void begin(int threadNumber, BooleanSupplier ending) {}

    // ---- Sending.

    /**
     * Sends without waiting, from the block's position on, and moves the position past the bytes that were accepted.
     */
    public abstract void send(Block block);

    /**
     * How many blocks it needs besides those that the lane fills, because the network may read a block after it was
     * sent. If there are any, the lane passes them on with {@link #addSpare} after {@link #begin}.
     */
    public int spareBlocks() {
        return 0;
    }

    /** Adds a block that this stream may exchange for a sent one. */
    public void addSpare(LaneBlock block) {
        throw new IllegalStateException("this stream needs no spare blocks");
    }

    /**
     * Called when all bytes of a block were accepted. Returns the block that the lane fills instead: the same one,
     * unless the network still reads it.
     */
    public LaneBlock exchange(LaneBlock sent) {
        return sent;
    }

    /** Sends accepted bytes without waiting. Returns true if none are left. */
    public boolean flush() {
        return true;
    }

    /** Whether {@link #flush} has something to do. */
    public boolean hasPending() {
        return false;
    }

    /**
     * Waits for a short time until more can be sent, which is cheaper than {@link #await}. Returns false if that is not
     * possible yet, or if something has been received.
     */
    public boolean awaitRoom(int patienceMs) {
        return false;
    }

    /** Ends this side's stream after everything that was sent. Returns false if it must be called again. */
    public abstract boolean endSending();

    // ---- Receiving.

    /**
     * Receives without waiting, into the block from this index to its end. Returns the number of bytes, which may be 0,
     * or {@link DirectStream#END}.
     */
    public abstract int receive(Block block, int from);

    /** Like {@link #receive}, for unneeded bytes: their content is undefined. */
    public int receiveUnneeded(Block block) {
        return receive(block, 0);
    }

    /** The space that {@link #receive} needs. */
    public int leastRoomBytes() {
        return 1;
    }

    /** Drops the next bytes without copying them, for a short time. Returns the number of bytes. */
    public int dropAhead(int lengthBytes) {
        return 0;
    }

    // ---- Waiting.

    /** Waits until a direction may be ready, the lane's thread is woken, or the time is over. May return early. */
    public abstract void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos);

    // ---- The connection.

    /** The same stream for a thread that makes the calls itself; null if that is not possible now. */
    public @Nullable DirectStream direct() {
        return null;
    }

    public boolean isClear() {
        return true;
    }

    public Connection connection() {
        return Connection.NONE;
    }

    protected final TransferException lost(String what) {
        return Cause.CONNECTION_LOST.failure("lost the connection to " + peer + ": " + what);
    }

    // ---- The end.

    /** Prepares an abnormal end: the peer must not see an orderly one. */
    public void breakOff() {}

    /** Frees everything; the peer sees at once that this side has closed. */
    @Override
    public final void close() {
        if (!closed) {
            closed = true;
            free();
        }
    }

    protected abstract void free();
}
