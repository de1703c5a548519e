package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a lane at the server until its next bytes have named its session. Then the session's handler takes
 * over, until the session is left. A lane without a session is charged to the key of the last one, and closed if there
 * is no other one soon. For the lane's thread.
 */
final class LaneGate implements LaneHandler {
    private final Lane lane;
    private final OpenSessions sessions;
    private final RefusalLimit refusals;
    private @Nullable LaneHandler admitted;

    /** The hello of the lane, and the session that it names; null before it. */
    private @Nullable LaneHello hello;

    private @Nullable OpenSession session;

    private final Function<Budget, @Nullable Budget> charging;
    private final Clock clock;
    /** Of the lane while it has left a session. */
    private @Nullable Budget budget;

    private long leftNanos;
    private boolean expires;
    private boolean everAdmitted;

    /** @param charging returns another budget of the same key, charged with one lane; null if there is no room */
    LaneGate(
            Lane lane,
            OpenSessions sessions,
            RefusalLimit refusals,
            Function<Budget, @Nullable Budget> charging,
            Clock clock) {
        this.lane = lane;
        this.sessions = sessions;
        this.refusals = refusals;
        this.charging = charging;
        this.clock = clock;
    }

    /** Starts the lane; closes it if the peer does not send its hello in time. */
    void open(long timeoutMs) {
        lane.start(this);
        lane.schedule(
                () -> {
                    if (!everAdmitted) {
                        lane.abort(Cause.NO_ANSWER.failure(lane.peer() + " opened a lane and sent nothing"));
                    }
                },
                timeoutMs,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean onLeft() {
        LaneHandler handler = admitted;
        LaneHello said = hello;
        OpenSession named = session;
        if (handler == null || said == null || named == null || !handler.isBetweenMessages()) {
            return false;
        }
        budget = charging.apply(named.session().budget());
        if (budget == null) {
            return false;
        }
        admitted = null;
        hello = null;
        session = null;
        handler.onClosed(null);
        named.onLaneClosed(said.lane(), lane);
        leftNanos = clock.nanoTime();
        if (!expires) {
            expires = true;
            expireAfter(TimeUnit.MILLISECONDS.toNanos(Handshake.NEXT_MS));
        }
        return true;
    }

    /** A lane has one such task, however often it is left. */
    private void expireAfter(long nanos) {
        lane.schedule(this::expire, nanos, TimeUnit.NANOSECONDS);
    }

    private void expire() {
        long leftFor = clock.nanoTime() - leftNanos;
        long rest = TimeUnit.MILLISECONDS.toNanos(Handshake.NEXT_MS) - leftFor;
        expires = budget != null;
        if (expires && rest > 0) {
            expireAfter(rest);
        } else if (expires) {
            lane.abort(Cause.CONNECTION_LOST.failure(lane.peer() + " has no use for its lane"));
        }
    }

    private void giveBack() {
        Budget between = budget;
        if (between != null) {
            between.close();
        }
        budget = null;
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
            lane.abort(Cause.CONNECTION_LOST.failure(lane.peer() + " disconnected before its hello"));
            return;
        }
        LaneHello said = LaneHello.read(block.buffer());
        if (said == null && everAdmitted) {
            // Something of the last session that is not needed any more.
            lane.abort(Cause.CONNECTION_LOST.failure(lane.peer() + " sent no hello"));
            return;
        }
        if (said == null) {
            lane.abort(Cause.MALFORMED.failure(lane.peer() + " sent no hello on its lane"));
            return;
        }
        try {
            OpenSession named = sessions.require(said.sessionId());
            hello = said;
            session = named;
            handler = named.admit(said, lane);
        } catch (TransferException failure) {
            boolean refused = failure.kind() == FailureKind.REFUSED || failure.is(Cause.MALFORMED);
            lane.abort(refused ? refusal(failure.failure()) : failure);
            return;
        }
        everAdmitted = true;
        giveBack();
        admitted = handler;
        handler.onSendable();
    }

    private TransferException refusal(Failure why) {
        refusals.report(lane.peer(), why);
        return why.failure("refused " + why.reason() + " from " + lane.peer());
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
        giveBack();
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
