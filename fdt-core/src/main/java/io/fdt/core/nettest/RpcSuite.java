package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The server of the test of requests and answers. A request says in its first four bytes how long its answer is to be.
 */
final class RpcSuite implements Suite {
    private final int requestBytes;
    private final int mostAnswerBytes;
    private final boolean polling;
    private final LaneBytes source;

    RpcSuite(OpenNettest request) {
        this.requestBytes = request.requestBytes();
        this.mostAnswerBytes = Arrays.stream(request.sizes()).max().orElse(1);
        this.polling = request.polling();
        this.source = LaneBytes.ofBytes(mostAnswerBytes);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new AnsweringLane(lane, end, new AsAsked(), source, requestBytes, polling);
    }

    private final class AsAsked implements Answers {
        @Override
        public int requestBytes() {
            return requestBytes;
        }

        @Override
        public int answerBytes(ByteBuffer head) {
            int wanted = head.getInt(0);
            if (wanted < 1 || wanted > mostAnswerBytes) {
                throw new TransferException(FailureKind.VERSION, "an answer of " + wanted + " bytes was asked for");
            }
            return wanted;
        }
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }
}
