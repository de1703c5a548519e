package io.fdt.core.nettest.stream;

import io.fdt.core.FailureKind;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The server's side of the suites that do not interpret their messages. */
public final class StreamSuites {
    private StreamSuites() {}

    /** For a valid request. */
    public static SuiteSide ofServer(OpenNettest request) {
        int most = most(request);
        QueueUse queue = request.queue() == null ? null : QueueUse.of(request.queue());
        return switch (request.suite()) {
            case THROUGHPUT -> streams(request, false);
            case SWEEP -> (index, lane) -> new BurstReceivingLane(lane, most, request.messages());
            case LATENCY ->
                queue != null
                        ? (index, lane) -> new QueueAnsweringLane(lane, queue, most)
                        : answers(request, new Pongs(request), most);
            case RPC -> answers(request, new AsAsked(request.requestBytes(), most), request.requestBytes());
            default -> throw new IllegalStateException("no suite of streams: " + request.suite());
        };
    }

    /** Whether its fields are valid. */
    public static boolean isSound(OpenNettest request) {
        return switch (request.suite()) {
            case SWEEP, LATENCY ->
                request.lanesOut() == 1
                        && hasSizes(request)
                        && request.messages() > 0
                        && (request.queue() == null || most(request) <= QueueUse.MOST_MESSAGE_BYTES);
            case RPC -> hasSizes(request) && request.requestBytes() >= PlanValue.REQUEST_BYTES.least();
            default -> request.blockBytes() <= PlanValue.BLOCK_BYTES.most();
        };
    }

    private static boolean hasSizes(OpenNettest request) {
        return request.lanesIn() == 0
                && request.sizes().length > 0
                && Arrays.stream(request.sizes()).allMatch(size -> size > 0);
    }

    /** Each lane carries bytes in one direction, as many as possible. */
    static SuiteSide streams(OpenNettest request, boolean client) {
        LaneBytes source = new LaneBytes(request.blockBytes());
        return (index, lane) -> (index < request.lanesOut()) == client
                ? new SendingLane(lane, source, request.blockBytes())
                : new ReceivingLane(lane, request.blockBytes(), request.receive() == Receive.COPY);
    }

    private static SuiteSide answers(OpenNettest request, Answers answers, int mostRequestBytes) {
        LaneBytes source = new LaneBytes(most(request));
        return (index, lane) -> new AnsweringLane(lane, answers, source, mostRequestBytes, request.polling());
    }

    /**
     * The server of a ping-pong test answers with the same length: both sides know the number of messages of each size.
     */
    private static final class Pongs implements Answers {
        private final int[] sizes;
        private final long messages;
        private int round;
        private long left;

        Pongs(OpenNettest request) {
            this.sizes = request.sizes();
            this.messages = NettestPlan.warmUps(request.messages()) + request.messages();
            this.left = messages;
        }

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
                left = messages;
            }
            return bytes;
        }
    }

    /** The server of the rpc suite: the first four bytes of a request are the length of its answer. */
    private record AsAsked(int requestBytes, int mostBytes) implements Answers {
        @Override
        public int answerBytes(ByteBuffer head) {
            int wanted = head.getInt(0);
            if (wanted < 1 || wanted > mostBytes) {
                throw FailureKind.VERSION.failure(
                        "an answer of " + wanted + " bytes was requested, which is out of bounds");
            }
            return wanted;
        }
    }

    private static int most(OpenNettest request) {
        return Arrays.stream(request.sizes()).max().orElse(1);
    }
}
