package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.Questions;
import io.fdt.core.transport.Lane;

/**
 * Sends a request and waits for the answer, repeatedly until stopped. Counts the bytes of complete exchanges, in both
 * directions.
 */
final class AskingLane extends TurnLane {
    private final Questions questions;
    private final LaneBytes request;
    private boolean asking;
    private boolean asked;
    private long askedNanos;

    AskingLane(Lane lane, Questions questions, int mostRequestBytes, int mostAnswerBytes, boolean polling) {
        super(lane, mostAnswerBytes, polling);
        this.questions = questions;
        this.request = new LaneBytes(Math.max(HEAD_BYTES, mostRequestBytes));
    }

    @Override
    boolean next() {
        if (asking) {
            asking = false;
            asked = true;
            return receive(questions.answerBytes());
        }
        long now = System.nanoTime();
        if (asked) {
            questions.onAnswer(askedNanos, now);
            count((long) questions.requestBytes() + questions.answerBytes());
        }
        if (isStopping() || !questions.next(now, request.buffer())) {
            return false;
        }
        asking = true;
        askedNanos = System.nanoTime();
        return send(request, questions.requestBytes());
    }
}
