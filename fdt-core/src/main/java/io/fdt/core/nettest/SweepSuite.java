package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The server of a streaming test. */
final class SweepSuite implements Suite {
    private final int mostSizeBytes;
    private final long messages;

    SweepSuite(OpenNettest request) {
        this.mostSizeBytes = Arrays.stream(request.sizes()).max().orElse(1);
        this.messages = request.messages();
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new BurstReceivingLane(lane, end, mostSizeBytes, messages);
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }
}
