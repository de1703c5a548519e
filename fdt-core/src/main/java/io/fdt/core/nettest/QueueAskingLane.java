package io.fdt.core.nettest;

import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * Asks by a queue pair and waits for the answer, one question at a time; the counterpart of {@link QueueAnsweringLane}.
 * A datagram that is not answered in a while is sent again, and that exchange, whose time would be nobody's, is not
 * among those that are measured.
 */
final class QueueAskingLane extends QueueLane {
    /** Longer than any round trip. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int NUMBERS = 256;
    private static final ByteBuffer NO_HEAD = ByteBuffer.allocate(0);

    private final Questions questions;
    private final Watcher watcher;
    private int number;

    /** Who is told what is special about queue pairs; on the lane's thread. */
    interface Watcher {
        /** The bytes that a message may have to go inline, at either end. */
        void onConnected(int inlineBytes, int peersInlineBytes);

        /** A datagram has been sent again. */
        void onSentAgain();
    }

    /** @param questions whose content is of no meaning: no head of a request is asked for */
    QueueAskingLane(Lane lane, LaneEnd end, QueueUse use, int mostBytes, Questions questions, Watcher watcher) {
        super(lane, end, use, mostBytes);
        this.questions = questions;
        this.watcher = watcher;
    }

    @Override
    boolean refusesLongMessages() {
        return true;
    }

    @Override
    void run(DirectStream stream, QueueMessages messages) {
        int peersInlineBytes = tell(stream, messages) ? hear(stream, messages) : DirectStream.END;
        if (peersInlineBytes == DirectStream.END) {
            return;
        }
        watcher.onConnected(messages.inlineBytes(), peersInlineBytes);
        while (!isStopping() && questions.next(System.nanoTime(), NO_HEAD) && exchange(stream, messages)) {
            count((long) questions.requestBytes() + questions.answerBytes());
        }
    }

    /** One question with its answer; false when the lane is to end. */
    private boolean exchange(DirectStream stream, QueueMessages messages) {
        number = (number + 1) % NUMBERS;
        boolean again = false;
        long asked = System.nanoTime();
        messages.send(questions.requestBytes(), number);
        while (true) {
            int came = messages.receive(AGAIN_NANOS);
            if (came != QueueMessages.NONE) {
                if (isAnswer(came, messages.number())) {
                    if (!again) {
                        questions.onAnswer(asked, System.nanoTime());
                    }
                    return true;
                }
                continue;
            }
            if (hasEnded(stream)) {
                return false;
            }
            if (System.nanoTime() - asked > PATIENCE_NANOS) {
                throw lost("answers nothing any more by its queue pair");
            }
            if (!isReliable()) {
                again = true;
                watcher.onSentAgain();
                messages.send(questions.requestBytes(), number);
            }
        }
    }

    /** A datagram that is none is one that was sent twice, or a stranger's. */
    private boolean isAnswer(int lengthBytes, int ofNumber) {
        boolean is = lengthBytes == questions.answerBytes() && ofNumber == number;
        if (!is && isReliable()) {
            throw misfit("by its queue pair what was not asked for");
        }
        return is;
    }
}
