package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/**
 * What a suite does on one side of one session. The session's frame, which each side has, opens and begins the lanes,
 * stops them, and exchanges the figures; everything that is measured happens in the suite's lanes.
 */
public interface Suite {
    /** The lane with this number, in the role that it has on this side. Any thread. */
    MeasuredLane join(int index, Lane lane);

    /** Whether each side counts every operation as a call, so that the calls have to agree as the bytes do. */
    default boolean countsOperations() {
        return false;
    }

    /** Why both sides' last figures, lane by lane, cannot both be true; null when they agree. */
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

    /** The session is over. A lane may still come to see that, for a moment. */
    default void close() {}
}
