package io.fdt.core.control;

import io.fdt.core.Clock;
import io.fdt.core.HostView;
import io.fdt.core.stats.PeerHost;
import io.fdt.core.wire.Capability;
import io.fdt.core.wire.SessionMessage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges host figures between the two ends of a session, as long as somebody looks: who is asked tells once a
 * second, for ten seconds, however often it is asked; who looks asks again every five. None of it counts as a message
 * of the session, and what gets lost with a link stays lost: the next second brings another. Thread-safe; no call
 * blocks.
 */
final class HostExchange implements PeerHost {
    static final long TELL_PERIOD_MS = 1_000;

    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** What is older shows a host as it was, not as it is. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** A link that does not take what the session says has no room for this. */
    private static final long MAX_QUEUED_BYTES = 1L << 20;

    private final ControlChannel channel;
    private final Clock clock;
    private final boolean peerUnderstands;
    private final Supplier<@Nullable HostView> here;

    private @Nullable ScheduledFuture<?> telling;
    private long tellUntilNanos;
    /** Whether the other end knows of the session. */
    private boolean begun;

    private boolean askedTooEarly;
    private boolean asked;
    private long askedNanos;
    private @Nullable HostView view;
    private long viewNanos;
    private boolean closed;

    /** Null instead of this host's figures tells nothing; asking for them must not block. Capabilities are bits. */
    HostExchange(ControlChannel channel, Clock clock, long peerCapabilities, Supplier<@Nullable HostView> here) {
        this.channel = channel;
        this.clock = clock;
        this.peerUnderstands = (peerCapabilities & Capability.HOST_VIEW) != 0;
        this.here = here;
    }

    /** The other end knows of the session: to ask it earlier would be an answer that it does not understand. */
    void begin() {
        synchronized (this) {
            begun = true;
            if (!askedTooEarly) {
                return;
            }
        }
        ask();
    }

    @Override
    public void ask() {
        synchronized (this) {
            long now = clock.nanoTime();
            if (!begun) {
                askedTooEarly = true;
                return;
            }
            if (closed || !peerUnderstands || (asked && now - askedNanos < ASK_AGAIN_NANOS)) {
                return;
            }
            asked = true;
            askedNanos = now;
        }
        channel.sendOnLink(new SessionMessage.AskHost());
    }

    @Override
    public synchronized @Nullable HostView view() {
        return clock.nanoTime() - viewNanos <= STALE_NANOS ? view : null;
    }

    /** The other end wants to be told. */
    synchronized void onAsked() {
        if (closed || !peerUnderstands) {
            return;
        }
        tellUntilNanos = clock.nanoTime() + TELL_NANOS;
        if (telling == null) {
            try {
                telling = channel.every(TELL_PERIOD_MS, this::tell);
            } catch (RejectedExecutionException ending) {
                closed = true;
            }
        }
    }

    /** The other end told. Ignores figures that were not requested. */
    synchronized void onTold(HostView told) {
        if (asked && !closed) {
            view = told;
            viewNanos = clock.nanoTime();
        }
    }

    private void tell() {
        synchronized (this) {
            if (closed || clock.nanoTime() - tellUntilNanos > 0) {
                stop();
                return;
            }
        }
        HostView now = here.get();
        if (now != null && channel.queuedBytes() <= MAX_QUEUED_BYTES) {
            channel.sendOnLink(new SessionMessage.HostTold(now));
        }
    }

    private synchronized void stop() {
        if (telling != null) {
            telling.cancel(false);
            telling = null;
        }
    }

    /** Neither answers nor accepts figures any more. */
    synchronized void close() {
        closed = true;
        view = null;
        stop();
    }
}
