package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/**
 * What a suite does on one side of one session. The session's frame ({@link ClientSide}, {@link ServerSide}) opens and
 * begins the lanes, stops them, and exchanges the figures; everything that is measured happens in the suite's lanes.
 */
interface Suite {
    /** The lane with this number, in the role that it has on this side. Any thread. */
    MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end);

    /** Why the last figures of both sides cannot both be true; null when they agree. */
    @Nullable String disagreement(SideState own, SideState peers);

    /** The session is over. A lane may still come to see that, for a moment. */
    default void close() {}
}
