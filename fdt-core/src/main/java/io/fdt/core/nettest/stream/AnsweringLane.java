package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.transport.Lane;

/**
 * Answers one request after the other until the peer ends the stream; the counterpart of {@link AskingLane}. Requests
 * that arrive before the start are answered at the start.
 */
final class AnsweringLane extends TurnLane {
    private final Answers answers;
    private final LaneBytes source;
    private int requestBytes;
    private int answerBytes;

    /** @param source the memory from which all answers of the session are sent */
    AnsweringLane(Lane lane, Answers answers, LaneBytes source, int mostRequestBytes, boolean polling) {
        super(lane, mostRequestBytes, polling);
        this.answers = answers;
        this.source = source;
        receiveRequest();
    }

    /** The side whose lanes answer, with answers of the plan's sizes. */
    static SuiteSide side(NettestPlan plan, Answers answers, int mostRequestBytes) {
        LaneBytes source = new LaneBytes(plan.mostBytes());
        boolean polling = plan.get(NettestValue.BUSY_POLL);
        return (index, lane) -> new AnsweringLane(lane, answers, source, mostRequestBytes, polling);
    }

    /** What that side allocates. */
    static long memoryBytes(NettestPlan plan, int mostRequestBytes) {
        return LaneBytes.allocated(plan.mostBytes()) + plan.streams() * memoryBytes(mostRequestBytes);
    }

    private boolean receiveRequest() {
        answerBytes = 0;
        requestBytes = answers.requestBytes();
        return requestBytes > 0 && receive(requestBytes);
    }

    @Override
    boolean next() {
        if (answerBytes == 0) {
            answerBytes = answers.answerBytes(received());
            return send(source, answerBytes);
        }
        count((long) requestBytes + answerBytes);
        return receiveRequest();
    }
}
