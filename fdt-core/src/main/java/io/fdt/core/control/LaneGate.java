package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
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
    private final Admission admission;
    private @Nullable LaneHandler admitted;
    private @Nullable Joining joining;

    /** Finds the session of a hello; throws the reason to refuse the lane. Called on the lane's thread. */
    interface Admission {
        Joining find(LaneHello hello, Lane lane);
    }

    /** A session that a lane is about to join. Called on the lane's thread. */
    interface Joining {
        /** Lets the lane join; throws the reason to refuse it. */
        LaneHandler admit();

        /** Called when the lane has ended, whether or not it joined. */
        void onClosed();
    }

    LaneGate(Lane lane, Admission admission) {
        this.lane = lane;
        this.admission = admission;
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
        LaneHello hello = LaneHello.read(block.buffer());
        if (hello == null) {
            lane.abort(FailureKind.REFUSED.failure(lane.peer() + " sent no hello on its lane"));
            return;
        }
        try {
            Joining session = admission.find(hello, lane);
            joining = session;
            handler = session.admit();
        } catch (TransferException refused) {
            lane.abort(refused);
            return;
        }
        admitted = handler;
        handler.onSendable();
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
        Joining session = joining;
        try {
            if (handler != null) {
                handler.onClosed(cause);
            }
        } finally {
            if (session != null) {
                session.onClosed();
            }
        }
    }
}
