package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The server of a ping-pong: sends back as much as came. */
final class LatencySuite implements Suite {
    private final int[] sizes;
    private final long iterations;
    private final boolean polling;
    private final int mostBytes;
    private final LaneBytes source;

    LatencySuite(OpenNettest request) {
        this.sizes = request.sizes();
        this.iterations = request.messages();
        this.polling = request.polling();
        this.mostBytes = Arrays.stream(sizes).max().orElse(1);
        this.source = LaneBytes.ofBytes(mostBytes);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new AnsweringLane(lane, end, new Pongs(), source, mostBytes, polling);
    }

    /** Both sides know how many messages of which size come. */
    private final class Pongs implements Answers {
        private int round;
        private long left = LatencyPlan.warmUps(iterations) + iterations;

        @Override
        public int requestBytes() {
            return round < sizes.length ? sizes[round] : 0;
        }

        @Override
        public int answerBytes(ByteBuffer head) {
            int bytes = sizes[round];
            left--;
            if (left == 0) {
                round++;
                left = LatencyPlan.warmUps(iterations) + iterations;
            }
            return bytes;
        }
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }
}
