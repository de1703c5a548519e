package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/** The server of the test under load. Which buffers it may use it is told by the lane itself, step after step. */
final class LoadSuite implements Suite {
    private final int sizeBytes;
    private final boolean polling;

    LoadSuite(OpenNettest request) {
        this.sizeBytes = request.requestBytes();
        this.polling = request.polling();
    }

    /** Whether this can be a test under load. */
    static boolean isSound(OpenNettest request) {
        return request.lanesOut() == 1
                && request.lanesIn() == 0
                && request.requestBytes() >= LoadPlan.LEAST_SIZE_BYTES
                && request.requestBytes() <= LoadPlan.MOST_SIZE_BYTES;
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new LoadServingLane(lane, end, sizeBytes, polling);
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }
}
