package io.fdt.core.transport;

import io.fdt.core.TransferException;
import org.jspecify.annotations.Nullable;

/** Notifies the owner of a lane. Every call comes on the lane's thread, one at a time. */
public interface LaneHandler {
    /**
     * The least number of received bytes that is worth a call of {@link #onReceived}, between 1 and
     * {@link Lane#blockBytes}. Asked again before each delivery.
     */
    int wantedBytes();

    /**
     * Received bytes stand between the buffer's position and limit, at least {@link #wantedBytes} of them
     * (fewer only when the peer ends the stream). The handler moves the position past what it consumed. A
     * tail shorter than the wanted bytes may be left: the lane puts it in front of what comes next. The
     * block stays the lane's: it must not be released, sent or kept.
     */
    void onReceived(Block block);

    /** A block has become free after {@link Lane#acquire} returned null; also called once at the start. */
    void onSendable();

    /**
     * The lane is closed; the last call. The cause is null when either side closed it in order and no
     * received byte was left over, otherwise it says what happened, in the operator's words.
     */
    void onClosed(@Nullable TransferException cause);
}
