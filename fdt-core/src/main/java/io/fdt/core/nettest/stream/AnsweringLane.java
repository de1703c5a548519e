package io.fdt.core.nettest.stream;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.nettest.DirectExchange;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;

/**
 * Answers one request after the other until the peer ends the stream; the counterpart of {@link AskingLane}. Requests
 * that arrive before the start are answered at the start.
 */
final class AnsweringLane extends MeasuredLane {
    private final Answers answers;
    private final boolean polling;
    private final LaneBytes source;
    private final LaneBytes request;
    private final int requestRoomBytes;

    // By blocks.
    private int cameBytes;
    private int unsentBytes;

    /**
     * @param source what all answers of the session are sent from
     * @param polling asks the kernel for requests again and again instead of waiting in it
     */
    AnsweringLane(Lane lane, LaneEnd end, Answers answers, LaneBytes source, int mostRequestBytes, boolean polling) {
        super(lane, end);
        this.answers = answers;
        this.polling = polling;
        this.source = source;
        this.requestRoomBytes =
                Math.max(Answers.HEAD_BYTES, Math.min(mostRequestBytes, DirectExchange.MOST_RECEIVED_BYTES));
        this.request = LaneBytes.ofBytes(requestRoomBytes);
    }

    @Override
    protected void onBegin() {
        // The first request is often there before the word to begin. Half of one is rare: then it goes by blocks.
        boolean asked = cameBytes > 0 && cameBytes == answers.requestBytes();
        DirectStream stream = cameBytes == 0 || asked ? lane().takeOver() : null;
        if (stream == null) {
            answerIfWhole();
            return;
        }
        goDirectly(stream, open -> answerDirectly(new DirectExchange(open, polling, request, requestRoomBytes), asked));
    }

    /** @param isAsked the first request has come already */
    private void answerDirectly(DirectExchange exchange, boolean isAsked) {
        long address = source.address();
        boolean came = isAsked;
        while (true) {
            int asked = answers.requestBytes();
            if (asked == 0 || (!came && !exchange.receive(asked))) {
                break;
            }
            came = false;
            int answered = answers.answerBytes(request.buffer());
            if (!exchange.send(address, answered)) {
                break;
            }
            count((long) asked + answered);
        }
    }

    // ---- By blocks.

    @Override
    public void onReceived(Block block) {
        ByteBuffer came = block.buffer();
        if (unsentBytes > 0 || cameBytes + came.remaining() > answers.requestBytes()) {
            throw new TransferException(FailureKind.VERSION, "a request arrived before the previous one was answered");
        }
        for (int at = cameBytes; at < Answers.HEAD_BYTES && came.hasRemaining(); at++) {
            request.buffer().put(at, came.get());
            cameBytes++;
        }
        cameBytes += came.remaining();
        came.position(came.limit());
        answerIfWhole();
    }

    private void answerIfWhole() {
        int asked = answers.requestBytes();
        if (isBegun() && asked > 0 && cameBytes == asked) {
            unsentBytes = answers.answerBytes(request.buffer());
            cameBytes = 0;
            count((long) asked + unsentBytes);
            unsentBytes = sendBlocks(unsentBytes);
        }
    }

    @Override
    public void onSendable() {
        unsentBytes = sendBlocks(unsentBytes);
    }
}
