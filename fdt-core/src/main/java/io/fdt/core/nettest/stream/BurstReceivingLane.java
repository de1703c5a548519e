package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;

/** Receives bursts and acknowledges each as a whole; the counterpart of {@link BurstSendingLane}. */
final class BurstReceivingLane extends TurnLane {
    private static final int ROOM_BYTES = 256 << 10;
    private static final int MAX_WORDS = 0xff;

    private final int mostSizeBytes;
    private final long messages;
    private final LaneBytes words = new LaneBytes(MAX_WORDS);
    private Step step = Step.HEAD;
    private long burstBytes;
    /** Of messages that are announced individually, or of a burst as a whole. */
    private long messageBytes;

    private int leftMessages;
    private int announced;
    private int unannounced;
    private boolean rendezvous;

    /** The last completed step. */
    private enum Step {
        HEAD,
        READY,
        ANNOUNCED,
        GRANTED,
        TAKEN,
        ACKNOWLEDGED
    }

    /** @param messages maximum number in a burst */
    BurstReceivingLane(Lane lane, int mostSizeBytes, long messages) {
        super(lane, ROOM_BYTES, false);
        this.mostSizeBytes = mostSizeBytes;
        this.messages = messages;
        receive(Bursts.HEAD_BYTES);
    }

    static long memoryBytes() {
        return memoryBytes(ROOM_BYTES) + LaneBytes.allocated(MAX_WORDS);
    }

    @Override
    boolean next() {
        return switch (step) {
            case HEAD -> {
                onHead(received());
                yield sendWords(Step.READY, 1);
            }
            case READY -> rendezvous ? receive(Step.ANNOUNCED, announced) : receive(Step.TAKEN, messageBytes);
            case ANNOUNCED -> sendWords(Step.GRANTED, announced);
            case GRANTED -> receive(Step.TAKEN, messageBytes);
            case TAKEN -> {
                leftMessages--;
                if (leftMessages == 0) {
                    yield sendWords(Step.ACKNOWLEDGED, 1);
                }
                if (unannounced == 0) {
                    yield receive(Step.TAKEN, messageBytes);
                }
                unannounced--;
                announced = 1;
                yield receive(Step.ANNOUNCED, 1);
            }
            case ACKNOWLEDGED -> {
                count(burstBytes);
                yield receive(Step.HEAD, Bursts.HEAD_BYTES);
            }
        };
    }

    private boolean receive(Step then, long lengthBytes) {
        step = then;
        return receive(lengthBytes);
    }

    private boolean sendWords(Step then, int count) {
        step = then;
        return send(words, count);
    }

    private void onHead(ByteBuffer head) {
        int size = head.getInt(0);
        int count = head.getInt(4) & Bursts.COUNT_MASK;
        int ahead = head.getInt(4) >>> Bursts.ANNOUNCED_SHIFT;
        if (size < 1 || size > mostSizeBytes || count < 1 || count > messages) {
            throw misfit("a burst of " + count + " messages of " + size + " bytes, which is not part of this test");
        }
        burstBytes = (long) size * count;
        rendezvous = ahead > 0;
        leftMessages = rendezvous ? count : 1;
        messageBytes = rendezvous ? size : burstBytes;
        announced = Math.min(ahead, count);
        unannounced = count - announced;
    }

    /** Messages and announcements arrive as soon as they are permitted. */
    @Override
    long mostEarlyBytes() {
        return rendezvous ? Long.MAX_VALUE : 0;
    }
}
