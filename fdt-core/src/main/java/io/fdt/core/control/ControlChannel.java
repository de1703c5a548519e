package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.Bounds;
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
 * The control channel of a session: every message arrives exactly once and in order, over as many links as necessary.
 * Both sides count what they send and receive. Messages that the peer has not confirmed are kept, and resent on the
 * next link after a link was lost. Heartbeats carry the confirmations. A peer that is silent for the timeout is given
 * up, whatever the state of its connections, and so is one whose links repeatedly carry no message. Messages are passed
 * on encoded; only those that belong to the channel are decoded here. Thread-safe.
 */
final class ControlChannel {
    /** Confirms received messages after this many, unless a heartbeat has confirmed them. */
    private static final int CONFIRM_MESSAGES = 16;

    /** A correct peer confirms every few messages, so this is far more than it needs. */
    static final long MAX_UNCONFIRMED_BYTES = 32L << 20;
    /** The heap of such a message besides its bytes. */
    private static final long UNCONFIRMED_MESSAGE_BYTES = 32;
    /** These are part of the charge of the session's link. */
    private static final long UNCHARGED_BYTES = 128L << 10;

    /** A peer that does not receive this much does not need another heartbeat. */
    private static final long MAX_QUEUED_HEARTBEAT_BYTES = 1L << 20;

    /** More than may be queued on a link besides the messages that are counted. */
    static final long MAX_UNCOUNTED_BYTES = MAX_QUEUED_HEARTBEAT_BYTES + Bounds.MAX_MESSAGE_BYTES;

    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Half of the timeout, or this: a link that is silent for longer is replaced. */
    private static final long LINK_SILENT_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** After this many consecutive links without a message, a new link no longer counts as a sign of life. */
    private static final int MAX_UNUSED_LINKS = 16;

    private final Clock clock;
    private final ScheduledExecutorService timer;
    private final long timeoutNanos;
    private final String peer;
    private final String place;
    private final Consumer<ControlChannel> whenLost;

    private final ArrayDeque<byte[]> unconfirmed = new ArrayDeque<>();
    /** Of {@link #unconfirmed}, on the heap. */
    private long unconfirmedBytes;

    /** Of those, what the budget is charged. */
    private long chargedBytes;

    private @Nullable Budget budget;
    private long sent;
    private long heard;
    private long heardWhenConfirmed;
    private long heardNanos;
    /** The messages of both sides that had arrived when the last link was adopted. */
    private long arrivedWhenAdopted;

    private int unusedLinks;
    /** This side does not take messages for now. */
    private boolean held;

    /** Null while there is no link. */
    private @Nullable ControlLink link;

    private @Nullable Handler handler;
    private @Nullable ScheduledFuture<?> heartbeat;
    private @Nullable TransferException lossCause;
    private @Nullable TransferException endCause;
    /** This end has closed the link because it was silent. */
    private boolean brokenForSilence;

    /** The peer closed the link without a message, at {@code hungUpNanos}, and has not returned. */
    private boolean hungUp;

    private long hungUpNanos;
    private long lostNanos;
    private boolean peerLeaves;
    private boolean leaving;
    private boolean over;

    /** Called on the thread of a link or the timer, one call at a time; must not block. */
    interface Handler extends MessageLink.Handler {
        /** A message that belongs to a link and is not counted; it may be lost with its link. */
        void onAside(Class<? extends ControlMessage> type, byte[] encoded);
    }

    /**
     * @param link on which the session was agreed, without a handler
     * @param whenLost called when there is no link and the peer has not been given up; must not block
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
        this.place = link.place();
        this.whenLost = whenLost;
        this.heardNanos = clock.nanoTime();
    }

    /** Starts delivering messages; call once. */
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

    /** Sends a message that belongs to the link and not to the channel: it is neither counted nor resent. */
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
        boolean hasRoom;
        synchronized (this) {
            if (leaving || over) {
                return;
            }
            byte[] encoded = ControlCodec.encode(message, place);
            unconfirmed.add(encoded);
            unconfirmedBytes += encoded.length + UNCONFIRMED_MESSAGE_BYTES;
            hasRoom = charge();
            sent++;
            if (link != null) {
                link.send(encoded);
            }
            tooMuch = unconfirmedBytes > MAX_UNCONFIRMED_BYTES;
        }
        if (!hasRoom) {
            giveUp(Budget.usedUp(Resource.HEAP));
        } else if (tooMuch) {
            giveUp(Cause.CONNECTION_LOST.failure(peer + " does not acknowledge control messages"));
        }
    }

    /** Charges this budget with the messages that the peer has not confirmed; call it before the channel starts. */
    synchronized void chargeTo(Budget ofSession) {
        budget = ofSession;
    }

    /** Returns false if the budget has no room for what is unconfirmed. */
    private boolean charge() {
        Budget ofSession = budget;
        if (ofSession == null) {
            return true;
        }
        long due = Math.max(0, unconfirmedBytes - UNCHARGED_BYTES);
        if (due > chargedBytes && !ofSession.tryTake(Resource.HEAP, due - chargedBytes)) {
            return false;
        }
        if (due < chargedBytes) {
            ofSession.give(Resource.HEAP, chargedBytes - due);
        }
        chargedBytes = due;
        return true;
    }

    /** Runs the task periodically on the timer's thread, which it must not block. */
    ScheduledFuture<?> every(long periodMs, Runnable task) {
        return timer.scheduleAtFixedRate(task, periodMs, periodMs, TimeUnit.MILLISECONDS);
    }

    /** Reads no more messages until {@link #readOnIfHeld}; a peer that is not read from is not silent. */
    synchronized void hold() {
        held = true;
        if (link != null) {
            link.hold();
        }
    }

    synchronized void readOnIfHeld() {
        if (!held) {
            return;
        }
        held = false;
        heardNanos = clock.nanoTime();
        if (link != null) {
            link.readOn();
        }
    }

    /** Bytes that the network has not accepted yet. */
    synchronized long queuedBytes() {
        return link == null ? 0 : link.queuedBytes();
    }

    String peer() {
        return peer;
    }

    /** The place of failures that happen at the peer. */
    String place() {
        return place;
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    /** Whether there is no link. */
    synchronized boolean isLost() {
        return link == null && !over;
    }

    synchronized boolean isOver() {
        return over;
    }

    /** How long there has been no link; 0 if there is one. */
    synchronized long lostNanos() {
        return link == null && !over ? clock.nanoTime() - lostNanos : 0;
    }

    /** Whether the peer closed the link without a message, at least this long ago, and has not returned. */
    synchronized boolean isHungUp(long forNanos) {
        return hungUp && !over && clock.nanoTime() - hungUpNanos >= forNanos;
    }

    /** Releases the link, so that nothing more is received from it, and returns the number of received messages. */
    long release() {
        ControlLink old;
        boolean closing;
        long count;
        synchronized (this) {
            old = link;
            closing = leaving;
            lostNanos = old == null ? lostNanos : clock.nanoTime();
            link = null;
            hungUp = false;
            count = heard;
        }
        if (old != null) {
            old.abort(Cause.CONNECTION_LOST.failure("another connection replaced it"));
            if (closing) {
                // Its end would have been that of the channel.
                finish(null);
            }
        }
        return count;
    }

    /**
     * Continues over another link, which has no handler yet.
     *
     * @param peerHeard how many of this side's messages have reached the peer
     * @throws TransferException VERSION if that number is impossible
     */
    void adopt(ControlLink next, long peerHeard) {
        synchronized (this) {
            if (over || leaving) {
                throw Cause.CONNECTION_LOST.failure("the session is over");
            }
            confirm(peerHeard);
            long arrived = heard + sent - unconfirmed.size();
            unusedLinks = arrived != arrivedWhenAdopted || unconfirmed.isEmpty() ? 0 : unusedLinks + 1;
            arrivedWhenAdopted = arrived;
            if (unusedLinks <= MAX_UNUSED_LINKS) {
                heardNanos = clock.nanoTime();
            }
            unconfirmed.forEach(next::send);
            brokenForSilence = false;
            link = next;
        }
        next.resume(new Listener(next));
        synchronized (this) {
            if (held) {
                next.hold();
            }
        }
    }

    private void confirm(long peerHeard) {
        long count = peerHeard - (sent - unconfirmed.size());
        if (count < 0 || count > unconfirmed.size()) {
            throw Cause.MALFORMED.failure(peer + " acknowledged control messages that were not sent");
        }
        for (long i = 0; i < count; i++) {
            unconfirmedBytes -= unconfirmed.remove().length + UNCONFIRMED_MESSAGE_BYTES;
        }
        if (link != null && link.queuedBytes() > unconfirmedBytes + MAX_UNCOUNTED_BYTES) {
            // Nobody is charged for what is still queued.
            throw Cause.MALFORMED.failure(peer + " acknowledged control messages that it does not read");
        }
        charge();
    }

    /** Has the client of a session connect again. */
    void breakLink() {
        ControlLink current;
        synchronized (this) {
            current = link;
        }
        if (current != null) {
            current.abort(Cause.CONNECTION_LOST.failure(peer + " has to show its token on another connection"));
        }
    }

    private void beat() {
        ControlLink silent = null;
        long silentNanos;
        TransferException lost;
        synchronized (this) {
            lost = lossCause;
            silentNanos = held && link != null ? 0 : clock.nanoTime() - heardNanos;
            if (silentNanos <= timeoutNanos) {
                if (link != null && silentNanos > Math.min(timeoutNanos / 2, LINK_SILENT_NANOS)) {
                    // Perhaps only this connection is dead; another one will show it.
                    silent = link;
                    brokenForSilence = true;
                } else if (link != null) {
                    sayStillHere(link);
                }
            }
        }
        if (silentNanos > timeoutNanos) {
            giveUp(Cause.CONNECTION_LOST.failure(
                    "no heartbeat from " + peer + " for " + TimeUnit.NANOSECONDS.toSeconds(silentNanos) + " s"
                            + (lost == null ? "" : "; " + lost.getMessage())));
        } else if (silent != null) {
            silent.abort(Cause.CONNECTION_LOST.failure(peer + " is silent"));
        }
    }

    private void sayStillHere(ControlLink current) {
        if (current.queuedBytes() > MAX_QUEUED_HEARTBEAT_BYTES) {
            return;
        }
        heardWhenConfirmed = heard;
        current.send(new SessionMessage.Heartbeat(heard));
    }

    /** Receives messages from one link while the channel uses it. */
    private final class Listener implements MessageLink.Handler {
        private final ControlLink from;

        Listener(ControlLink from) {
            this.from = from;
        }

        @Override
        public void onMessage(byte[] encoded) {
            Class<? extends ControlMessage> type = ControlCodec.typeOf(encoded, peer);
            synchronized (ControlChannel.this) {
                if (link != from || handler == null) {
                    return;
                }
                heardNanos = clock.nanoTime();
                if (type == SessionMessage.Heartbeat.class) {
                    confirm(((SessionMessage.Heartbeat) ControlCodec.decode(encoded, peer)).heard());
                } else if (type == SessionMessage.Leaving.class) {
                    peerLeaves = true;
                } else if (type == SessionMessage.AskHost.class
                        || type == SessionMessage.HostReport.class
                        || type == SessionMessage.StageReport.class
                        || type == SessionMessage.Bearer.class
                        || type == SessionMessage.Counted.class) {
                    handler.onAside(type, encoded);
                } else {
                    heard++;
                    if (heard - heardWhenConfirmed >= CONFIRM_MESSAGES) {
                        sayStillHere(from);
                    }
                    handler.onMessage(encoded);
                }
            }
            if (type == SessionMessage.Leaving.class) {
                // What follows belongs to another session.
                from.pause();
                finish(null);
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
                    lossCause = cause != null ? cause : Cause.CONNECTION_LOST.failure(peer + " closed the connection");
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

    /** Ends the channel in order: messages that were sent are still delivered, if there is a link. */
    void close() {
        ControlLink current;
        boolean left;
        synchronized (this) {
            if (leaving) {
                return;
            }
            leaving = true;
            current = link;
            left = over;
        }
        if (current == null) {
            finish(null);
        } else if (left && current.queuedBytes() > 0) {
            current.abort(leftUnread());
        } else {
            current.send(new SessionMessage.Leaving());
            current.close();
        }
    }

    /** Like {@link #close}, but the link goes on, without a handler, to another session. */
    void leave(Consumer<ControlLink> next) {
        ControlLink current;
        synchronized (this) {
            if (leaving) {
                return;
            }
            leaving = true;
            current = link;
            link = null;
        }
        if (current != null && current.queuedBytes() > UNCHARGED_BYTES) {
            current.abort(leftUnread());
        } else if (current != null) {
            current.pause();
            current.send(new SessionMessage.Leaving());
            next.accept(current);
        }
        finish(null);
    }

    /** The peer needs none of it, and what comes after this session is not charged for it. */
    private TransferException leftUnread() {
        return Cause.CONNECTION_LOST.failure(peer + " has left, and does not read what was sent");
    }

    /** Runs the action once the link has closed if this end is closing it; at once if it is lost or goes on. */
    void whenLinkClosed(Runnable action) {
        ControlLink last;
        synchronized (this) {
            last = leaving ? link : null;
        }
        if (last == null) {
            action.run();
        } else {
            last.whenClosed(action);
        }
    }

    /** Whether the peer has ended the channel in order. */
    synchronized boolean hasPeerLeft() {
        return peerLeaves;
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
            unconfirmedBytes = 0;
            charge();
        }
        if (last != null) {
            last.onClosed(cause);
        }
    }
}
