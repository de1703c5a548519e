package io.fdt.core.nettest.stream;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.nettest.DirectExchange;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;

/**
 * Asks and waits for the answer, one question at a time, until there are no more questions or it is stopped. Goes by
 * calls of its own thread where the transport allows that, else by blocks. Counts the bytes of whole exchanges, both
 * ways. Allocates nothing from one exchange to the next.
 */
final class AskingLane extends MeasuredLane {
    private final Questions questions;
    private final boolean polling;
    private final LaneBytes request;
    private final LaneBytes answer;
    private final int answerRoomBytes;
    private boolean direct;

    // By blocks.
    private boolean asking;
    private int unsentBytes;
    private int cameBytes;
    private long askedNanos;

    /** @param polling asks the kernel for the answer again and again instead of waiting in it */
    AskingLane(
            Lane lane, LaneEnd end, Questions questions, int mostRequestBytes, int mostAnswerBytes, boolean polling) {
        super(lane, end);
        this.questions = questions;
        this.polling = polling;
        this.request = LaneBytes.ofBytes(Math.max(Answers.HEAD_BYTES, mostRequestBytes));
        this.answerRoomBytes = Math.min(mostAnswerBytes, DirectExchange.MOST_RECEIVED_BYTES);
        this.answer = LaneBytes.ofBytes(answerRoomBytes);
    }

    @Override
    protected void onBegin() {
        DirectStream stream = lane().takeOver();
        if (stream == null) {
            ask();
            return;
        }
        direct = true;
        goDirectly(stream, open -> askDirectly(new DirectExchange(open, polling, answer, answerRoomBytes)));
    }

    private void askDirectly(DirectExchange exchange) {
        long address = request.address();
        while (!isStopping()) {
            long asked = System.nanoTime();
            if (!questions.next(asked, request.buffer())) {
                break;
            }
            asked = System.nanoTime();
            if (!exchange.send(address, questions.requestBytes()) || !exchange.receive(questions.answerBytes())) {
                break;
            }
            questions.onAnswer(asked, System.nanoTime());
            count((long) questions.requestBytes() + questions.answerBytes());
        }
    }

    // ---- By blocks.

    private void ask() {
        asking = false;
        if (isClosed()) {
            return;
        }
        if (isStopping() || !questions.next(System.nanoTime(), request.buffer())) {
            end();
            return;
        }
        asking = true;
        unsentBytes = questions.requestBytes();
        cameBytes = 0;
        askedNanos = System.nanoTime();
        sendBlocks();
    }

    private void sendBlocks() {
        if (unsentBytes > 0 && unsentBytes == questions.requestBytes()) {
            Block block = lane().acquire();
            if (block == null) {
                return;
            }
            int bytes = Math.min(unsentBytes, lane().blockBytes());
            block.buffer().limit(bytes);
            for (int at = 0; at < Math.min(bytes, Answers.HEAD_BYTES); at++) {
                block.buffer().put(at, request.buffer().get(at));
            }
            unsentBytes -= bytes;
            lane().send(block);
        }
        unsentBytes = sendBlocks(unsentBytes);
    }

    @Override
    public void onSendable() {
        if (asking) {
            sendBlocks();
        }
    }

    @Override
    public void onReceived(Block block) {
        cameBytes += block.buffer().remaining();
        block.buffer().position(block.buffer().limit());
        if (!asking || cameBytes > questions.answerBytes()) {
            lane().abort(new TransferException(FailureKind.VERSION, "more data arrived than was requested"));
        } else if (cameBytes == questions.answerBytes()) {
            questions.onAnswer(askedNanos, System.nanoTime());
            count((long) questions.requestBytes() + questions.answerBytes());
            ask();
        }
    }

    /** What was asked is waited for, so that both sides count it. */
    @Override
    protected void onStop() {
        if (!direct && isBegun() && !asking) {
            end();
        }
    }
}
