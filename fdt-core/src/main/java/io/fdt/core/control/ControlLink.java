package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Control messages over one link. First the handshake handles them, later a {@link ControlChannel}; messages that
 * arrive without a handler are kept for the next one. Thread-safe.
 */
final class ControlLink {
    private final MessageLink link;
    /** The limit for messages without a handler: all that a peer may have kept for a new link. */
    private static final long MAX_EARLY_BYTES = ControlChannel.MAX_UNCONFIRMED_BYTES;

    private final List<Early> early = new ArrayList<>();
    private long earlyBytes;
    private @Nullable Handler handler;
    private boolean closed;
    private @Nullable TransferException closeCause;

    private record Early(ControlMessage message, int lengthBytes) {}

    /** Called on the link's thread; must not block. */
    interface Handler {
        /** @param lengthBytes of the encoded message */
        void onMessage(ControlMessage message, int lengthBytes);

        /** The last call. Null if either side closed the link in order. */
        void onClosed(@Nullable TransferException cause);
    }

    ControlLink(MessageLink link) {
        this.link = link;
    }

    /** Starts delivering messages; call it once, before any other method. */
    void open(Handler first) {
        handler = first;
        link.start(new MessageLink.Handler() {
            @Override
            public void onMessage(byte[] bytes) {
                ControlMessage message;
                try {
                    message = ControlCodec.decode(bytes, link.peer());
                } catch (TransferException malformed) {
                    link.abort(malformed);
                    return;
                }
                deliver(message, bytes.length);
            }

            @Override
            public void onClosed(@Nullable TransferException cause) {
                deliverClose(cause);
            }
        });
    }

    private void deliver(ControlMessage message, int lengthBytes) {
        Handler current;
        boolean tooMuch;
        synchronized (this) {
            current = handler;
            tooMuch = current == null && earlyBytes + lengthBytes > MAX_EARLY_BYTES;
            if (current == null && !tooMuch) {
                early.add(new Early(message, lengthBytes));
                earlyBytes += lengthBytes;
            }
        }
        if (tooMuch) {
            link.abort(FailureKind.VERSION.failure(link.peer() + " sent something that was not" + " requested"));
        } else if (current != null) {
            current.onMessage(message, lengthBytes);
        }
    }

    private void deliverClose(@Nullable TransferException cause) {
        Handler current;
        synchronized (this) {
            closed = true;
            closeCause = cause;
            current = handler;
        }
        if (current != null) {
            current.onClosed(cause);
        }
    }

    /**
     * Keeps arriving messages until the next handler resumes. Call it only from the handler, otherwise messages may
     * still be delivered.
     */
    synchronized void pause() {
        handler = null;
    }

    /** Delivers everything to another handler from now on, starting with what was kept. */
    void resume(Handler next) {
        boolean over;
        synchronized (this) {
            early.forEach(each -> next.onMessage(each.message, each.lengthBytes));
            early.clear();
            earlyBytes = 0;
            handler = next;
            over = closed;
        }
        if (over) {
            next.onClosed(closeCause);
        }
    }

    void send(ControlMessage message) {
        link.send(ControlCodec.encode(message));
    }

    /** @param encoded one complete message */
    void send(byte[] encoded) {
        link.send(encoded);
    }

    long queuedBytes() {
        return link.queuedBytes();
    }

    /** The peer has authenticated itself. */
    void admitted() {
        link.admitted();
    }

    void close() {
        link.close();
    }

    void abort(TransferException cause) {
        link.abort(cause);
    }

    String peer() {
        return link.peer();
    }
}
