package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.transport.Lane;

/**
 * Announces a burst, waits until the peer is ready, sends it, and waits for its acknowledgement, until there are no
 * more bursts or it is stopped: then the current burst is the last. The peer's answers are one byte each. Rendezvous
 * messages are sent in blocks; each is announced by a byte, and the peer answers with a byte when it is ready for it.
 * The order is fixed, so nothing needs to identify what comes next: as many announcements as may be ahead, then
 * alternately a message and an announcement.
 */
final class BurstSendingLane extends TurnLane {
    private static final int WORD_BYTES = 1;

    private final Bursts bursts;
    private final LaneBytes source;
    private final LaneBytes head = new LaneBytes(Bursts.HEAD_BYTES);
    private Step step = Step.ACKNOWLEDGED;
    private long startedNanos;
    // With rendezvous: how many messages of the burst have been announced, and how many have been started.
    private int announced;
    private int begunMessages;

    /** The last completed step. */
    private enum Step {
        HEAD,
        READY,
        SENT,
        WANTED,
        ACKNOWLEDGED
    }

    BurstSendingLane(Lane lane, Bursts bursts, int mostBytes) {
        super(lane, WORD_BYTES, false);
        this.bursts = bursts;
        this.source = new LaneBytes(Math.max(mostBytes, CALL_BYTES));
    }

    @Override
    boolean mayGoDirectly() {
        return !bursts.haveRendezvous();
    }

    @Override
    long mostEarlyBytes() {
        return bursts.announced();
    }

    @Override
    boolean next() {
        switch (step) {
            case HEAD -> {
                return receiveWord(Step.READY);
            }
            case READY -> {
                startedNanos = System.nanoTime();
                announced = 0;
                begunMessages = 0;
                step = Step.SENT;
                return bursts.announced() > 0
                        ? afterMessage()
                        : send(source, bursts.burstBytes(), bursts.sizeBytes(), bursts.fitSeveralInACall());
            }
            case SENT -> {
                return afterMessage();
            }
            case WANTED -> {
                step = Step.SENT;
                return send(source, bursts.sizeBytes());
            }
            default -> {
                if (startedNanos != 0) {
                    bursts.onAcknowledged(System.nanoTime() - startedNanos);
                    count(bursts.burstBytes());
                }
                step = Step.HEAD;
                return !isStopping() && bursts.next(head.buffer()) && send(head, Bursts.HEAD_BYTES);
            }
        }
    }

    /** Announces what may be announced, or continues with the next message; after the last one, the burst is sent. */
    private boolean afterMessage() {
        int messages = bursts.announced() > 0 ? bursts.messages() : 0;
        int more = Math.min(messages, begunMessages + bursts.announced()) - announced;
        if (more > 0) {
            announced += more;
            return send(source, more);
        }
        if (begunMessages == messages) {
            return receiveWord(Step.ACKNOWLEDGED);
        }
        begunMessages++;
        return receiveWord(Step.WANTED);
    }

    private boolean receiveWord(Step then) {
        step = then;
        return receive(WORD_BYTES);
    }
}
