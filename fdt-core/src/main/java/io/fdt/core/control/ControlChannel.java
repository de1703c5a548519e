package io.fdt.core.control;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.util.ArrayDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The control channel of a session: every message arrives once and in order, over as many links as it takes. Both sides
 * count what they send and what they hear. What the peer has not confirmed is kept, and after a lost link goes out
 * again on the next one. Heartbeats carry the confirmations; a peer that nothing was heard of for the timeout is given
 * up, whatever its sockets look like. So is one to which one link after the other is opened and carries nothing.
 * Thread-safe.
 */
final class ControlChannel {
    /** Confirms received messages after this many, if no heartbeat has done it before. */
    private static final int CONFIRM_MESSAGES = 16;

    /** An honest peer confirms every few messages, so this is far more than it needs. */
    static final long MAX_UNCONFIRMED_BYTES = 32L << 20;

    /** A peer that does not take this much has no use for one more heartbeat. */
    private static final long MAX_QUEUED_HEARTBEAT_BYTES = 1L << 20;

    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** After this many links in a row that carried no message, a new one is no sign of life any more. */
    private static final int MAX_VAIN_LINKS = 16;

    private final Clock clock;
    private final ScheduledExecutorService timer;
    private final long timeoutNanos;
    private final String peer;
    private final Consumer<ControlChannel> whenLost;

    private final ArrayDeque<byte[]> unconfirmed = new ArrayDeque<>();
    private long unconfirmedBytes;
    private long sent;
    private long heard;
    private long heardWhenConfirmed;
    private long heardNanos;
    /** Messages of either side that had arrived when the last link was adopted. */
    private long arrivedWhenAdopted;

    private int vainLinks;

    /** Null while the link is lost. */
    private @Nullable ControlLink link;

    private @Nullable Handler handler;
    private @Nullable ScheduledFuture<?> heartbeat;
    private @Nullable TransferException lossCause;
    private @Nullable TransferException endCause;
    /** This end has broken the link, because nothing came over it. */
    private boolean brokenForSilence;

    /** The peer's end has gone without a word, at {@code hungUpNanos}; until it is known to be there again. */
    private boolean hungUp;

    private long hungUpNanos;
    private long lostNanos;
    private boolean peerLeaves;
    private boolean leaving;
    private boolean over;

    /** Called on some link's or the timer's thread, one call at a time; must not block. */
    interface Handler extends ControlLink.Handler {
        /** What belongs to a link and counts for neither side; it may be lost with its link. */
        void onAside(ControlMessage message);
    }

    /**
     * @param link that the session was agreed on, with nobody listening
     * @param whenLost called when there is no link any more and the peer is not given up yet; must not block
     */
    ControlChannel(
            ControlLink link,
            Clock clock,
            ScheduledExecutorService timer,
            long timeoutMs,
            Consumer<ControlChannel> whenLost) {
        this.link = link;
        this.clock = clock;
        this.timer = timer;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        this.peer = link.peer();
        this.whenLost = whenLost;
        this.heardNanos = clock.nanoTime();
    }

    /** Begins to deliver; once. */
    void start(Handler newHandler) {
        ControlLink first;
        TransferException ended;
        synchronized (this) {
            handler = newHandler;
            first = link;
            ended = endCause;
            if (!over) {
                long period = Math.min(timeoutNanos / 4, HEARTBEAT_NANOS);
                heartbeat = timer.scheduleWithFixedDelay(this::beat, period, period, TimeUnit.NANOSECONDS);
            }
        }
        if (first != null) {
            first.resume(new Listener(first));
        } else if (ended != null) {
            newHandler.onClosed(ended);
        }
    }

    /** Sends what belongs to the link and not to the channel: it is neither counted nor sent again. */
    void sendOnLink(ControlMessage message) {
        ControlLink current;
        synchronized (this) {
            current = link;
        }
        if (current != null) {
            current.send(message);
        }
    }

    void send(ControlMessage message) {
        boolean tooMuch;
        synchronized (this) {
            if (leaving || over) {
                return;
            }
            byte[] encoded = ControlCodec.encode(message);
            unconfirmed.add(encoded);
            unconfirmedBytes += encoded.length;
            sent++;
            if (link != null) {
                link.send(encoded);
            }
            tooMuch = unconfirmedBytes > MAX_UNCONFIRMED_BYTES;
        }
        if (tooMuch) {
            giveUp(FailureKind.CONNECTION_LOST.failure(peer + " does not acknowledge control messages"));
        }
    }

    /** Has the task done after each period, on the timer's thread, which it must not hold up. */
    ScheduledFuture<?> every(long periodMs, Runnable task) {
        return timer.scheduleAtFixedRate(task, periodMs, periodMs, TimeUnit.MILLISECONDS);
    }

    /** Bytes that the network has not taken yet. */
    synchronized long queuedBytes() {
        return link == null ? 0 : link.queuedBytes();
    }

    String peer() {
        return peer;
    }

    /** Whether there is no link now. */
    synchronized boolean isLost() {
        return link == null && !over;
    }

    synchronized boolean isOver() {
        return over;
    }

    /** For how long there has been no link; 0 while there is one. */
    synchronized long lostNanos() {
        return link == null && !over ? clock.nanoTime() - lostNanos : 0;
    }

    /** Whether the peer closed the link without a word, at least so long ago, and no other has taken its place. */
    synchronized boolean isHungUp(long forNanos) {
        return hungUp && !over && clock.nanoTime() - hungUpNanos >= forNanos;
    }

    /** Lets go of the link, so that nothing more comes over it, and says how many messages have come. */
    long release() {
        ControlLink old;
        long count;
        synchronized (this) {
            old = link;
            lostNanos = old == null ? lostNanos : clock.nanoTime();
            link = null;
            hungUp = false;
            count = heard;
        }
        if (old != null) {
            old.abort(FailureKind.CONNECTION_LOST.failure("another connection replaced it"));
        }
        return count;
    }

    /**
     * Continues over another link, which has no listener yet.
     *
     * @param peerHeard how many of this side's messages have reached the peer
     * @throws TransferException VERSION if the peer cannot have counted right
     */
    void adopt(ControlLink next, long peerHeard) {
        synchronized (this) {
            if (over || leaving) {
                throw FailureKind.CONNECTION_LOST.failure("the session is over");
            }
            confirm(peerHeard);
            long arrived = heard + sent - unconfirmed.size();
            vainLinks = arrived != arrivedWhenAdopted || unconfirmed.isEmpty() ? 0 : vainLinks + 1;
            arrivedWhenAdopted = arrived;
            if (vainLinks <= MAX_VAIN_LINKS) {
                heardNanos = clock.nanoTime();
            }
            unconfirmed.forEach(next::send);
            brokenForSilence = false;
            link = next;
        }
        next.resume(new Listener(next));
    }

    private void confirm(long peerHeard) {
        long count = peerHeard - (sent - unconfirmed.size());
        if (count < 0 || count > unconfirmed.size()) {
            throw FailureKind.VERSION.failure(peer + " acknowledged control messages that were not sent");
        }
        for (long i = 0; i < count; i++) {
            unconfirmedBytes -= unconfirmed.remove().length;
        }
    }

    private void beat() {
        ControlLink silent = null;
        long silentNanos;
        TransferException lost;
        synchronized (this) {
            lost = lossCause;
            silentNanos = clock.nanoTime() - heardNanos;
            if (silentNanos <= timeoutNanos) {
                if (link != null && silentNanos > timeoutNanos / 2) {
                    // Perhaps only this connection is dead: another one will tell.
                    silent = link;
                    brokenForSilence = true;
                } else if (link != null) {
                    sayStillHere(link);
                }
            }
        }
        if (silentNanos > timeoutNanos) {
            giveUp(FailureKind.CONNECTION_LOST.failure(
                    "no heartbeat from " + peer + " for " + TimeUnit.NANOSECONDS.toSeconds(silentNanos) + " s"
                            + (lost == null ? "" : "; " + lost.getMessage())));
        } else if (silent != null) {
            silent.abort(FailureKind.CONNECTION_LOST.failure(peer + " is silent"));
        }
    }

    private void sayStillHere(ControlLink current) {
        if (current.queuedBytes() > MAX_QUEUED_HEARTBEAT_BYTES) {
            return;
        }
        heardWhenConfirmed = heard;
        current.send(new SessionMessage.Heartbeat(heard));
    }

    /** Receives messages from one link, as long as it is the channel's. */
    private final class Listener implements ControlLink.Handler {
        private final ControlLink from;

        Listener(ControlLink from) {
            this.from = from;
        }

        @Override
        public void onMessage(ControlMessage message, int lengthBytes) {
            synchronized (ControlChannel.this) {
                if (link != from || handler == null) {
                    return;
                }
                heardNanos = clock.nanoTime();
                if (message instanceof SessionMessage.Heartbeat beat) {
                    try {
                        confirm(beat.heard());
                    } catch (TransferException wrong) {
                        from.abort(wrong);
                    }
                } else if (message instanceof SessionMessage.Leaving) {
                    peerLeaves = true;
                } else if (message instanceof SessionMessage.AskHost || message instanceof SessionMessage.HostTold) {
                    handler.onAside(message);
                } else {
                    heard++;
                    if (heard - heardWhenConfirmed >= CONFIRM_MESSAGES) {
                        sayStillHere(from);
                    }
                    handler.onMessage(message, lengthBytes);
                }
            }
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            boolean ended;
            synchronized (ControlChannel.this) {
                if (link != from) {
                    return;
                }
                link = null;
                lostNanos = clock.nanoTime();
                boolean hopeless = cause != null && cause.kind() != FailureKind.CONNECTION_LOST;
                ended = leaving || peerLeaves || hopeless;
                if (!ended) {
                    lossCause = cause != null
                            ? cause
                            : FailureKind.CONNECTION_LOST.failure(peer + " closed the connection");
                    hungUp = !brokenForSilence;
                    hungUpNanos = clock.nanoTime();
                }
            }
            if (ended) {
                finish(cause);
            } else {
                whenLost.accept(ControlChannel.this);
            }
        }
    }

    /** Ends the channel in order: what was sent before still goes out, if there is a link. */
    void close() {
        ControlLink current;
        synchronized (this) {
            if (leaving) {
                return;
            }
            leaving = true;
            current = link;
        }
        if (current == null) {
            finish(null);
        } else {
            current.send(new SessionMessage.Leaving());
            current.close();
        }
    }

    /** Ends the channel at once. */
    void giveUp(TransferException cause) {
        ControlLink current;
        synchronized (this) {
            leaving = true;
            current = link;
            link = null;
        }
        if (current != null) {
            current.abort(cause);
        }
        finish(cause);
    }

    private void finish(@Nullable TransferException cause) {
        Handler last;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            endCause = cause;
            last = handler;
            if (heartbeat != null) {
                heartbeat.cancel(false);
            }
            unconfirmed.clear();
        }
        if (last != null) {
            last.onClosed(cause);
        }
    }
}
