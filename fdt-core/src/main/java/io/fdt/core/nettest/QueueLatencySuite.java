package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.QueuePart;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The server of a ping-pong by queue pairs: sends back as much as came. */
final class QueueLatencySuite implements Suite {
    private final QueueUse use;
    private final int mostBytes;

    QueueLatencySuite(OpenNettest request) {
        QueuePart part = request.queue();
        if (part == null) {
            throw new IllegalStateException("a test by queues that names none");
        }
        this.use = QueueUse.of(part);
        this.mostBytes = Arrays.stream(request.sizes()).max().orElse(1);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new QueueAnsweringLane(lane, end, use, mostBytes);
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }
}
