package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/**
 * One side of a suite in one session. The frame of the session, which both sides have, opens and starts the lanes,
 * stops them, and exchanges the figures; the suite's lanes do all measurements.
 */
public interface SuiteSide {
    /** Returns the handler of the lane with this number, for its role on this side. Thread-safe. */
    MeasuredLane join(int index, Lane lane);

    /** Whether each side counts every operation as a call, so that the numbers of calls must agree as well. */
    default boolean countsOperations() {
        return false;
    }

    /** Why the last figures of both sides, lane by lane, contradict each other; null if they agree. */
    default @Nullable String disagreement(SideState own, SideState peers) {
        if (own.lanes().size() != peers.lanes().size()) {
            return "one side counts " + own.lanes().size() + " lanes, the other "
                    + peers.lanes().size();
        }
        for (int index = 0; index < own.lanes().size(); index++) {
            LaneState here = own.lanes().get(index);
            LaneState there = peers.lanes().get(index);
            if (here.bytes() != there.bytes() || (countsOperations() && here.calls() != there.calls())) {
                return "of lane " + index + " this side counts " + counts(here) + " and the other " + counts(there);
            }
        }
        return null;
    }

    private String counts(LaneState lane) {
        return (countsOperations() ? lane.calls() + " operations with " : "") + lane.bytes() + " bytes";
    }

    /** The session is over. A lane may not have noticed it yet. */
    default void close() {}
}
