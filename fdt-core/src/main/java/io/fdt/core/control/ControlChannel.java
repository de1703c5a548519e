package io.fdt.core.control;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Control messages over a link, with heartbeats both ways: a peer that says nothing for the timeout is given up, whatever
 * its sockets look like. Messages that arrive before {@link #start} are kept for it. Thread-safe.
 */
final class ControlChannel {
    private final MessageLink link;
    private final Clock clock;
    private final ScheduledExecutorService timer;
    private final long createdNanos;
    private volatile long heardNanos;
    private volatile long timeoutNanos;
    private @Nullable Handler handler;
    private final List<ControlMessage> early = new ArrayList<>();
    private @Nullable Runnable earlyClose;
    private @Nullable ScheduledFuture<?> heartbeat;
    private boolean closed;

    /** Called on the link's thread; must not block. */
    interface Handler {
        void onMessage(ControlMessage message);

        void onClosed(@Nullable TransferException cause);
    }

    ControlChannel(MessageLink link, Clock clock, ScheduledExecutorService timer, long timeoutMs) {
        this.link = link;
        this.clock = clock;
        this.timer = timer;
        this.createdNanos = clock.nanoTime();
        this.heardNanos = createdNanos;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    /** Begins to listen; call once, before anything else. */
    void open() {
        link.start(new MessageLink.Handler() {
            @Override
            public void onMessage(byte[] bytes) {
                heardNanos = clock.nanoTime();
                ControlMessage message;
                try {
                    message = ControlCodec.decode(bytes, link.peer());
                } catch (TransferException malformed) {
                    link.abort(malformed);
                    return;
                }
                if (!(message instanceof ControlMessage.Heartbeat)) {
                    deliver(message);
                }
            }

            @Override
            public void onClosed(@Nullable TransferException cause) {
                deliverClose(cause);
            }
        });
        scheduleHeartbeat();
    }

    /** From now on the peer is given up after another time of silence, and heartbeats follow it. */
    void setTimeout(long timeoutMs) {
        timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        scheduleHeartbeat();
    }

    private synchronized void scheduleHeartbeat() {
        if (heartbeat != null) {
            heartbeat.cancel(false);
        }
        if (!closed) {
            long periodNanos = Math.min(timeoutNanos / 4, TimeUnit.SECONDS.toNanos(5));
            heartbeat = timer.scheduleWithFixedDelay(this::beat, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void beat() {
        long silentNanos = clock.nanoTime() - heardNanos;
        if (silentNanos > timeoutNanos) {
            link.abort(new TransferException(
                    FailureKind.CONNECTION_LOST,
                    "no sign of life from " + link.peer() + " for " + TimeUnit.NANOSECONDS.toSeconds(silentNanos)
                            + " s"));
        } else {
            link.send(ControlCodec.encode(new ControlMessage.Heartbeat()));
        }
    }

    private void deliver(ControlMessage message) {
        Handler current;
        synchronized (this) {
            current = handler;
            if (current == null) {
                early.add(message);
                return;
            }
        }
        current.onMessage(message);
    }

    private void deliverClose(@Nullable TransferException cause) {
        Handler current;
        synchronized (this) {
            closed = true;
            if (heartbeat != null) {
                heartbeat.cancel(false);
            }
            current = handler;
            if (current == null) {
                earlyClose = () -> deliverClose(cause);
                return;
            }
        }
        current.onClosed(cause);
    }

    /** Hands everything to another handler from now on, first what came while there was none. */
    void start(Handler newHandler) {
        List<ControlMessage> waiting;
        Runnable close;
        synchronized (this) {
            waiting = new ArrayList<>(early);
            early.clear();
            waiting.forEach(newHandler::onMessage);
            handler = newHandler;
            close = earlyClose;
            earlyClose = null;
        }
        if (close != null) {
            close.run();
        }
    }

    /** Keeps messages until somebody else starts. */
    synchronized void pause() {
        handler = null;
    }

    /** The peer has proven who it is. */
    void admitted() {
        link.admitted();
    }

    void send(ControlMessage message) {
        link.send(ControlCodec.encode(message));
    }

    long queuedBytes() {
        return link.queuedBytes();
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

    String description() {
        return link.description();
    }
}
