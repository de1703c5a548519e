package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.util.concurrent.TimeUnit;

/**
 * Answers each message with one of the same length over a queue pair. A repeated number is answered again and counted
 * once.
 */
final class QueueAnsweringLane extends QueueLane {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int NUMBERS = 256;

    private final int mostBytes;

    QueueAnsweringLane(Lane lane, QueueUse use, int mostBytes) {
        super(lane, use, mostBytes);
        this.mostBytes = mostBytes;
    }

    @Override
    boolean refusesLongMessages() {
        return false;
    }

    @Override
    void run(DirectStream stream, QueueMessages messages) {
        if (receiveAddress(stream, messages) == DirectStream.END || !sendAddress(stream, messages)) {
            return;
        }
        int last = 0;
        int lastBytes = QueueMessages.NONE;
        while (true) {
            int came = messages.receive(LOOK_NANOS);
            if (came == QueueMessages.NONE) {
                if (hasEnded(stream)) {
                    return;
                }
                continue;
            }
            int number = messages.number();
            boolean next = number == (last + 1) % NUMBERS && came > 0 && came <= mostBytes;
            if (next || (number == last && came == lastBytes)) {
                messages.send(came, number);
            } else if (isReliable()) {
                throw misfit("a message out of sequence over its queue pair");
            }
            if (next) {
                last = number;
                lastBytes = came;
                count(2L * came);
            }
        }
    }
}
