package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Questions;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends requests over a queue pair and waits for each answer; the counterpart of {@link QueueAnsweringLane}. A datagram
 * without an answer is resent after a while, and that exchange is not measured.
 */
final class QueueAskingLane extends QueueLane {
    /** Longer than any round trip. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int NUMBERS = 256;

    private final Questions questions;
    private final QueueUse use;
    private int number;

    // Written by the lane's thread, readable on any thread.
    private volatile int inlineBytes;
    private volatile int peersInlineBytes;
    private final AtomicLong sentAgain = new AtomicLong();

    /** @param questions whose content does not matter: the head of a request is not used */
    QueueAskingLane(Lane lane, QueueUse use, int mostBytes, Questions questions) {
        super(lane, use, mostBytes);
        this.questions = questions;
        this.use = use;
    }

    @Override
    boolean refusesLongMessages() {
        return true;
    }

    @Override
    void run(DirectStream stream, QueueMessages messages) {
        int inline = sendAddress(stream, messages) ? receiveAddress(stream, messages) : DirectStream.END;
        if (inline == DirectStream.END) {
            return;
        }
        inlineBytes = messages.inlineBytes();
        peersInlineBytes = inline;
        ask(questions, () -> exchange(stream, messages));
    }

    /** One request and its answer; false if the lane is to end. */
    private boolean exchange(DirectStream stream, QueueMessages messages) {
        number = (number + 1) % NUMBERS;
        long asked = System.nanoTime();
        messages.send(questions.requestBytes(), number);
        while (true) {
            int came = messages.receive(AGAIN_NANOS);
            if (came != QueueMessages.NONE) {
                if (isAnswer(came, messages.number())) {
                    return true;
                }
                continue;
            }
            if (hasEnded(stream)) {
                return false;
            }
            if (System.nanoTime() - asked > PATIENCE_NANOS) {
                throw lost("stopped answering over its queue pair");
            }
            if (!isReliable()) {
                questions.spoil();
                sentAgain.lazySet(sentAgain.getPlain() + 1);
                messages.send(questions.requestBytes(), number);
            }
        }
    }

    /** Other datagrams are duplicates, or come from another host. */
    private boolean isAnswer(int lengthBytes, int ofNumber) {
        boolean is = lengthBytes == questions.answerBytes() && ofNumber == number;
        if (!is && isReliable()) {
            throw misfit("an unrequested message over its queue pair");
        }
        return is;
    }

    /**
     * The inline bytes that the devices of both ends support, and the datagrams without an answer in time. Thread-safe.
     */
    JsonObject queueFigures() {
        return new JsonObject()
                .with("qp", use.word())
                .with("inline_bytes_local", inlineBytes)
                .with("inline_bytes_remote", peersInlineBytes)
                .with("sent_again", sentAgain.get());
    }
}
