package io.fdt.core.transport;

import io.fdt.core.TransferException;
import org.jspecify.annotations.Nullable;

/**
 * An ordered stream of whole messages to the peer, encrypted and with the server's identity checked: what the
 * control channel is made of. All methods may be called on any thread.
 */
public interface MessageLink extends AutoCloseable {
    /** Starts delivery; once. */
    void start(Handler handler);

    /** Queues one message, of at most the link's limit; copied before the call returns. Never blocks. */
    void send(byte[] message);

    /** Bytes queued and not yet handed to the network: lets a producer of many messages pace itself. */
    long queuedBytes();

    /** Closes once what was sent before has been handed to the network; the handler gets a null cause. */
    @Override
    void close();

    void abort(TransferException cause);

    /**
     * The owner of an accepted link knows who is at the remote end: it no longer counts against the limit of
     * connections that are not admitted. Does nothing on a connected link.
     */
    default void admitted() {}

    String peer();

    /** For people: protocol and cipher. */
    String description();

    /** Called on the link's thread, which is shared with other links: must not block. */
    interface Handler {
        void onMessage(byte[] message);

        /** The last call. Null when either side closed the link in order. */
        void onClosed(@Nullable TransferException cause);
    }
}
