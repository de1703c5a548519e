package io.fdt.core.control;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.MessageLink.Handler;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Control messages over one link. First the handshake handles them, later a {@link ControlChannel}; without a handler
 * the link is not read. Thread-safe.
 */
final class ControlLink implements Handler {
    private final MessageLink link;
    private final String place;
    private final List<byte[]> early = new ArrayList<>();
    private @Nullable Handler handler;
    private boolean closed;
    private @Nullable TransferException closeCause;
    private Runnable afterClose = () -> {};

    private ControlLink(MessageLink link, String place) {
        this.link = link;
        this.place = place;
    }

    /** @param place of the server in failures; null for its URL */
    static ControlLink toServer(MessageLink link, @Nullable String place) {
        return new ControlLink(link, place == null ? Failure.placeOf(link.peer()) : place);
    }

    /** A link that a client has opened, whose place in failures is its address. */
    static ControlLink toClient(MessageLink link) {
        return new ControlLink(link, link.peer());
    }

    /**
     * Starts delivering messages; call it once, before any other method.
     *
     * @param first null to keep messages until another handler resumes
     */
    void open(@Nullable Handler first) {
        handler = first;
        link.start(this);
    }

    @Override
    public void onMessage(byte[] encoded) {
        Handler current;
        synchronized (this) {
            current = handler;
            if (current == null) {
                // The link has ended, and this came before its end.
                early.add(encoded);
                return;
            }
        }
        try {
            current.onMessage(encoded);
        } catch (TransferException malformed) {
            link.abort(malformed);
        }
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        Handler current;
        Runnable last;
        synchronized (this) {
            closed = true;
            closeCause = cause;
            current = handler;
            last = afterClose;
        }
        if (current != null) {
            current.onClosed(cause);
        }
        last.run();
    }

    /** Runs the action once the link has closed, with or without a handler; in place of an earlier action. */
    void whenClosed(Runnable action) {
        synchronized (this) {
            if (!closed) {
                afterClose = action;
                return;
            }
        }
        action.run();
    }

    /**
     * Leaves arriving messages where they are until the next handler resumes. Call it only from the handler, otherwise
     * messages may still be delivered.
     */
    void pause() {
        synchronized (this) {
            handler = null;
        }
        link.pause();
    }

    /** Delivers everything to another handler from now on, starting with what came meanwhile. */
    void resume(Handler next) {
        boolean over;
        synchronized (this) {
            try {
                early.forEach(next::onMessage);
            } catch (TransferException malformed) {
                link.abort(malformed);
            }
            early.clear();
            handler = next;
            over = closed;
        }
        if (over) {
            next.onClosed(closeCause);
        } else {
            link.resume();
        }
    }

    /** Reads no further messages until {@link #readOn}. */
    void hold() {
        link.pause();
    }

    void readOn() {
        link.resume();
    }

    void send(ControlMessage message) {
        link.send(ControlCodec.encode(message, place));
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

    /** The place of failures that happen at the peer. */
    String place() {
        return place;
    }

    ControlMessage decode(byte[] encoded) {
        return ControlCodec.decode(encoded, place);
    }
}
