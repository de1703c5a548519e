package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
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
