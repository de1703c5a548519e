package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import org.jspecify.annotations.Nullable;

/**
 * One side of a session. All calls but {@link #onLane} come on the session's thread. A {@link TransferException} thrown
 * from any of them ends the session with that failure.
 */
public interface SessionHandler {
    void onMessage(ControlMessage message);

    /** Does a slice of work, of some milliseconds at most; true if there is more to do at once. */
    default boolean work() {
        return false;
    }

    /** Called now and then, at least ten times a second while nothing else happens: the place for deadlines. */
    default void onTick() {}

    boolean isDone();

    /** The control channel is gone; null when the peer closed it in order. */
    void onLinkClosed(@Nullable TransferException cause);

    /**
     * A lane has joined; called on the lane's thread. The returned handler is in charge of it from now on. Sessions
     * that use lanes have their own.
     */
    default LaneHandler onLane(int index, int attempt, Lane lane) {
        throw FailureKind.REFUSED.failure("this session uses no lanes");
    }

    /** Why the session cannot go on without its link: the cause, or else that the peer has left, in these words. */
    static TransferException lost(Session session, @Nullable TransferException cause, String words) {
        return cause != null ? cause : FailureKind.CONNECTION_LOST.failure(session.peer() + words);
    }

    /** For a message that has no place in the session: the failure that the peer reports, or one of its own. */
    static TransferException unexpected(Session session, ControlMessage message) {
        return message instanceof SessionMessage.Failed failed
                ? failed.failure()
                : FailureKind.CONNECTION_LOST.failure(session.peer() + " sent a message out of turn");
    }
}
