package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import org.jspecify.annotations.Nullable;

/** Receives the data and events of a lane. All calls come on the lane's thread, one at a time. */
public interface LaneHandler {
    /**
     * The minimum number of received bytes for a call of {@link #onReceived}, between 1 and {@link Lane#blockBytes}.
     * Queried before each delivery.
     */
    int wantedBytes();

    /**
     * Received bytes are between the buffer's position and limit, at least {@link #wantedBytes} of them (fewer only if
     * the peer ends the stream). The handler moves the position past the bytes it consumed. It may leave fewer than the
     * requested bytes: the lane puts them before the next ones. The block still belongs to the lane and must not be
     * released, sent or kept.
     */
    void onReceived(Block block);

    /** A block has become free after {@link Lane#acquire} returned null; also called once at the start. */
    void onSendable();

    /** Whether nothing of a message is left to send or to receive. */
    default boolean isBetweenMessages() {
        return false;
    }

    /** The lane's session has ended in order. Returns false if the lane is of no further use. */
    default boolean onLeft() {
        return false;
    }

    /**
     * The lane is closed; the last call. The cause is null if either side closed it in order and all received bytes
     * were consumed; otherwise it describes the failure for the operator.
     */
    void onClosed(@Nullable TransferException cause);
}
