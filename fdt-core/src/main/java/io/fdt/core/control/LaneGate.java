package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.stats.Refusal;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a new lane at the server until its first bytes have named its session. Then the session's handler
 * takes over. For the lane's thread.
 */
final class LaneGate implements LaneHandler {
    private final Lane lane;
    private final OpenSessions sessions;
    private final RefusalLimit refusals;
    private @Nullable LaneHandler admitted;

    /** The hello of the lane, and the session that it names; null before it. */
    private @Nullable LaneHello hello;

    private @Nullable OpenSession session;

    LaneGate(Lane lane, OpenSessions sessions, RefusalLimit refusals) {
        this.lane = lane;
        this.sessions = sessions;
        this.refusals = refusals;
    }

    /** Starts the lane; closes it if the peer does not send its hello in time. */
    void open(long timeoutMs) {
        lane.start(this);
        lane.schedule(
                () -> {
                    if (admitted == null) {
                        lane.abort(FailureKind.REFUSED.failure(lane.peer() + " opened a lane and sent nothing"));
                    }
                },
                timeoutMs,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public int wantedBytes() {
        LaneHandler handler = admitted;
        return handler == null ? LaneHello.LENGTH_BYTES : handler.wantedBytes();
    }

    @Override
    public void onReceived(Block block) {
        LaneHandler handler = admitted;
        if (handler != null) {
            handler.onReceived(block);
            return;
        }
        if (block.buffer().remaining() < LaneHello.LENGTH_BYTES) {
            lane.abort(FailureKind.REFUSED.failure(lane.peer() + " disconnected before its hello"));
            return;
        }
        LaneHello said = LaneHello.read(block.buffer());
        if (said == null) {
            lane.abort(FailureKind.REFUSED.failure(lane.peer() + " sent no hello on its lane"));
            return;
        }
        try {
            OpenSession named = sessions.require(said.sessionId());
            hello = said;
            session = named;
            handler = named.admit(said, lane);
        } catch (TransferException failure) {
            lane.abort(failure.kind() == FailureKind.REFUSED ? refusal(String.valueOf(failure.getMessage())) : failure);
            return;
        }
        admitted = handler;
        handler.onSendable();
    }

    private TransferException refusal(String what) {
        refusals.report(lane.peer(), Refusal.LANE, what);
        return FailureKind.REFUSED.failure("refused " + what + " from " + lane.peer());
    }

    @Override
    public void onSendable() {
        LaneHandler handler = admitted;
        if (handler != null) {
            handler.onSendable();
        }
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        LaneHandler handler = admitted;
        LaneHello said = hello;
        OpenSession named = session;
        try {
            if (handler != null) {
                handler.onClosed(cause);
            }
        } finally {
            if (said != null && named != null) {
                named.onLaneClosed(said.lane(), lane);
            }
        }
    }
}
