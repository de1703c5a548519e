package io.fdt.core.transfer;

import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneProbe;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import org.jspecify.annotations.Nullable;

/** The common part of the sender and the receiver of a copy. For the session's thread unless stated otherwise. */
public abstract class CopySide implements SessionHandler {
    protected final Session session;
    protected final Ledger ledger;
    protected final TransferFigures figures;
    protected final LaneWatch lanes;
    protected final LaneSpread spread;
    protected final LimitGate limits;
    protected final boolean dryRun;
    protected final @Nullable Mirror mirror;

    private final Counter moved;

    private boolean stoppedByPeer;
    private TransferMessage.@Nullable Finish finish;
    protected TransferMessage.@Nullable Finished finished;

    /** @param moved counts the bytes that this side sends or receives over its lanes */
    protected CopySide(SessionParts parts, Counter moved) {
        this.session = parts.session();
        this.ledger = parts.ledger();
        this.figures = parts.figures();
        this.lanes = parts.lanes();
        this.spread = new LaneSpread(session, lanes, parts.spread(), moved, this::warn);
        this.moved = moved;
        this.limits = parts.limits();
        this.dryRun = parts.request().dryRun();
        this.mirror = parts.request().find(CopyValue.MIRROR);
        figures.dryRun = dryRun;
    }

    /** The sender's last message; null before it. */
    public final TransferMessage.@Nullable Finish finish() {
        return finish;
    }

    /** Call it when the sender's last message is about to be sent, or has arrived. */
    protected final void onAllMoved(TransferMessage.Finish last) {
        session.activity().onAllMoved();
        finish = last;
    }

    /** The receiver's last message; null before it. */
    public final TransferMessage.@Nullable Finished finished() {
        return finished;
    }

    @Override
    public final boolean isDone() {
        return finished != null;
    }

    @Override
    public final void onLinkClosed(@Nullable TransferException cause) {
        if (finished == null) {
            throw cause != null
                    ? cause
                    : Cause.CONNECTION_LOST.failure(session.peer() + " closed the connection before the end");
        }
    }

    /** Whether the other end has said why the session ends. */
    public final boolean isStoppedByPeer() {
        return stoppedByPeer;
    }

    /** Handles a message that either side may send, and rejects any other. */
    protected final void onCommonMessage(ControlMessage message, String misfit) {
        if (message instanceof SessionMessage.Warning warning) {
            ledger.warn(warning.message());
        } else if (message instanceof SessionMessage.Failed failed) {
            stoppedByPeer = true;
            throw failed.why().exception();
        } else {
            throw breach(misfit);
        }
    }

    /** The failure for a peer that violates the protocol. */
    public final TransferException breach(String what) {
        return Cause.MALFORMED.failure(session.peer() + " " + what);
    }

    /** Warns on both sides. */
    public final void warn(String message) {
        session.send(new SessionMessage.Warning(message));
        ledger.warn(message);
    }

    /** Creates the probe that reports one of the session's lanes to observers. */
    public final LaneProbe probe(Lane lane, int index) {
        LaneCounters counters = session.counters().lane(index);
        SessionActivity.Direction way =
                moved == Counter.SENT_BYTES ? SessionActivity.Direction.OUT : SessionActivity.Direction.IN;
        return new LaneProbe(lane, session.activity().join(index, way, lane.description(), () -> counters.get(moved)));
    }

    /** A chunk is moved. Called on a lane's thread. */
    public final void countBytes(int lengthBytes) {
        limits.countBytes(lengthBytes);
    }

    /** A chunk is read because the peer wants to compare it. Called on a lane's thread. */
    public final void countRead(int lengthBytes) {
        limits.countRead(lengthBytes);
    }

    /** Ends the session with a failure that is not specific to a file. Thread-safe. */
    public final void reportFailure(TransferException why) {
        session.interrupt(why);
    }

    /**
     * Frees the resources of the session. Incomplete files are kept so that they can be resumed.
     *
     * @param cause why the session failed; null if it ended in order
     */
    public abstract void close(@Nullable TransferException cause);
}
