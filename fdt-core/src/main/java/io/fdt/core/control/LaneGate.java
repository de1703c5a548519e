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
 * Stands in front of a lane that the server was given, until its first bytes have said which session it belongs to.
 * Then the session's handler takes its place. Belongs to the lane's thread.
 */
final class LaneGate implements LaneHandler {
    private final Lane lane;
    private final Admission admission;
    private @Nullable LaneHandler admitted;

    /** Decides about a hello; throws REFUSED. Called on the lane's thread. */
    interface Admission {
        LaneHandler admit(LaneHello hello, Lane lane);
    }

    LaneGate(Lane lane, Admission admission) {
        this.lane = lane;
        this.admission = admission;
    }

    /** Starts the lane; a peer that does not say hello in time is cut off. */
    void open(long timeoutMs) {
        lane.start(this);
        lane.schedule(
                () -> {
                    if (admitted == null) {
                        lane.abort(new TransferException(
                                FailureKind.REFUSED, lane.peer() + " opened a lane and said nothing"));
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
            lane.abort(new TransferException(FailureKind.REFUSED, lane.peer() + " left before it said hello"));
            return;
        }
        LaneHello hello = LaneHello.read(block.buffer());
        if (hello == null) {
            lane.abort(new TransferException(FailureKind.REFUSED, lane.peer() + " did not say hello on its lane"));
            return;
        }
        try {
            handler = admission.admit(hello, lane);
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
        if (handler != null) {
            handler.onClosed(cause);
        }
    }
}
