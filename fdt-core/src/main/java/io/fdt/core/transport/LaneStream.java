package io.fdt.core.transport;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a {@link StreamLane}, whatever carries them. Every failure is CONNECTION_LOST. Belongs to the lane's
 * thread, except before the lane is started.
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
     * This is the lane's thread, and it has this number. Everything that costs more than a socket is created here.
     *
     * @param ending whether the lane is to end
     */
    public void begin(int threadNumber, BooleanSupplier ending) {}

    // ---- Sending.

    /** Sends without waiting, from the block's position on, and moves the position past the bytes that it took. */
    public abstract void send(Block block);

    /** Sends without waiting what it took but has not sent. True when nothing of it is left. */
    public boolean flush() {
        return true;
    }

    /** Whether {@link #flush} has something to do. */
    public boolean hasPending() {
        return false;
    }

    /**
     * Waits for room to send into, a short while: waiting with {@link #await} costs more. False when there is none
     * yet, or something has been received.
     */
    public boolean awaitRoom(int patienceMs) {
        return false;
    }

    /** Ends this side's stream after everything that was sent. False when it must be called again. */
    public abstract boolean endSending();

    // ---- Receiving.

    /**
     * Receives without waiting, into the block from this index to its end. Returns the number of bytes, which may be
     * 0, or {@link DirectStream#END}.
     */
    public abstract int receive(Block block, int from);

    /** As {@link #receive}, for bytes that nobody needs: their content is undefined. */
    public int receiveUnneeded(Block block) {
        return receive(block, 0);
    }

    /** How much room {@link #receive} needs. */
    public int leastRoomBytes() {
        return 1;
    }

    /** Drops the next bytes without copying them, for a short while. Returns the number of bytes. */
    public int dropAhead(int lengthBytes) {
        return 0;
    }

    // ---- Waiting.

    /** Waits until a direction may be ready, the lane's thread is woken, or the time is over. May return early. */
    public abstract void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos);

    // ---- The connection.

    /** The same bytes for a thread that makes the calls itself; null if that is not possible now. */
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
        return FailureKind.CONNECTION_LOST.failure("lost the connection to " + peer + ": " + what);
    }

    // ---- The end.

    /** The lane ends out of order: the peer must not take the closing for an orderly end. */
    public void breakOff() {}

    /** Frees everything; the peer sees at once that this side has gone. */
    @Override
    public final void close() {
        if (!closed) {
            closed = true;
            free();
        }
    }

    protected abstract void free();
}
