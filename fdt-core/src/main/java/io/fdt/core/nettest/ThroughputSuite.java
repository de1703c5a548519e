package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/** Each lane carries bytes one way, as many as it can. */
final class ThroughputSuite implements Suite {
    private final int lanesOut;
    private final int blockBytes;
    private final boolean copying;
    private final boolean client;
    private final LaneBytes source;

    ThroughputSuite(OpenNettest request, boolean client) {
        this.lanesOut = request.lanesOut();
        this.blockBytes = request.blockBytes();
        this.copying = request.receive() == Receive.COPY;
        this.client = client;
        this.source = LaneBytes.ofBytes(blockBytes);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return isOut(index) == client
                ? new SendingLane(lane, end, source, blockBytes)
                : new ReceivingLane(lane, end, blockBytes, copying);
    }

    /** Whether the client sends on it. */
    private boolean isOut(int index) {
        return index < lanesOut;
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }
}
