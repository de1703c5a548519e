package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import org.jspecify.annotations.Nullable;

/**
 * An ordered stream of whole messages to the peer, encrypted and with the server's identity verified: the basis of the
 * control channel. Thread-safe.
 */
public interface MessageLink extends AutoCloseable {
    /** Starts delivery; once. */
    void start(Handler handler);

    /** Queues a copy of one message, up to the link's limit. Never blocks. */
    void send(byte[] message);

    /**
     * Delivers nothing more for now, and reads nothing more than has arrived. In a call of the handler, no other
     * message follows; the end of the link is still delivered, with everything that came before it.
     */
    void pause();

    /** Continues after {@link #pause}. */
    void resume();

    /** Bytes that are queued and not yet passed to the network; a sender of many messages uses it to limit itself. */
    long queuedBytes();

    /** Closes the link once everything that was sent has been passed to the network; the handler gets a null cause. */
    @Override
    void close();

    void abort(TransferException cause);

    /**
     * Called when the owner of an accepted link has authenticated the peer: it no longer counts against the limit of
     * unadmitted connections. Has no effect on a link that was dialled.
     */
    default void admitted() {}

    String peer();

    /** The protocol and cipher, for display. */
    String description();

    /** Called on the link's thread, which other links share: must not block. */
    interface Handler {
        void onMessage(byte[] message);

        /** The last call. The cause is null if either side closed the link in order. */
        void onClosed(@Nullable TransferException cause);
    }
}
