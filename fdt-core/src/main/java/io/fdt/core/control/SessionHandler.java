package io.fdt.core.control;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import org.jspecify.annotations.Nullable;

/**
 * One side of a session. All calls except {@link #onLane} come on the session's thread. A {@link TransferException}
 * thrown from any of them ends the session with that failure.
 */
public interface SessionHandler {
    void onMessage(ControlMessage message);

    /** Whether this role ever takes messages of this type; others end the session before they are decoded. */
    boolean takes(Class<? extends ControlMessage> type);

    /** Works for a few milliseconds at most; returns true if there is more to do at once. */
    default boolean work() {
        return false;
    }

    /** Called at least ten times a second while nothing else happens: the place for deadlines. */
    default void onTick() {}

    boolean isDone();

    /** The control channel is closed; the cause is null if the peer closed it in order. */
    void onLinkClosed(@Nullable TransferException cause);

    /**
     * A lane has joined; called on the lane's thread. The returned handler is responsible for it from now on. Sessions
     * with lanes override this.
     */
    default LaneHandler onLane(int index, int attempt, Lane lane) {
        throw Cause.MALFORMED.failure("this session uses no lanes");
    }

    /**
     * The reason why the session cannot continue without its link: the cause, or else that the peer has left, in these
     * words.
     */
    static TransferException lost(Session session, @Nullable TransferException cause, String words) {
        return cause != null ? cause : Cause.CONNECTION_LOST.failure(session.peer() + words);
    }

    /** The failure for an unexpected message: the one that the peer reports, or a new one. */
    static TransferException unexpected(Session session, ControlMessage message) {
        return message instanceof SessionMessage.Failed failed
                ? failed.why().exception()
                : Cause.MALFORMED.failure(session.peer() + " sent a message out of turn");
    }
}
