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

/** Receives bursts and acknowledges each as a whole; the counterpart of {@link BurstSendingLane}. */
final class BurstReceivingLane extends MeasuredLane {
    private static final int WORD_BYTES = 1;
    private static final int ROOM_BYTES = 256 << 10;

    private final int mostSizeBytes;
    private final long messages;
    private final LaneBytes memory = LaneBytes.ofBytes(ROOM_BYTES);
    private final LaneBytes word = LaneBytes.ofBytes(WORD_BYTES);

    // By blocks.
    private int headBytes;
    private long leftBytes;
    private long burstBytes;
    private int unsentWords;

    // By rendezvous.
    private int sizeBytes;
    private int leftMessages;
    private int unannounced;
    private int dueAnnouncements;

    /** @param messages that a burst may have */
    BurstReceivingLane(Lane lane, LaneEnd end, int mostSizeBytes, long messages) {
        super(lane, end);
        this.mostSizeBytes = mostSizeBytes;
        this.messages = messages;
    }

    @Override
    protected void onBegin() {
        // The first burst is often announced before the word to begin. Half of a head is rare: then it goes by blocks.
        DirectStream stream = headBytes == 0 && leftBytes == burstBytes ? lane().takeOver() : null;
        if (stream == null) {
            sendWords();
            return;
        }
        goDirectly(stream, open -> receiveDirectly(new DirectExchange(open, false, memory, ROOM_BYTES)));
    }

    private void receiveDirectly(DirectExchange exchange) {
        while (true) {
            if (unsentWords == 0) {
                if (!exchange.receive(Bursts.HEAD_BYTES)) {
                    break;
                }
                burstBytes = burstBytes(memory.buffer());
            }
            if (leftMessages > 0) {
                throw new TransferException(
                        FailureKind.VERSION, "the other end announced messages on a lane without" + " blocks");
            }
            unsentWords = 0;
            long burst = burstBytes;
            if (!exchange.send(word.address(), WORD_BYTES)
                    || !exchange.receive(burst)
                    || !exchange.send(word.address(), WORD_BYTES)) {
                break;
            }
            count(burst);
        }
    }

    private long burstBytes(ByteBuffer head) {
        int size = head.getInt(0);
        int count = head.getInt(4) & Bursts.COUNT_MASK;
        int ahead = head.getInt(4) >>> Bursts.ANNOUNCED_SHIFT;
        if (size < 1 || size > mostSizeBytes || count < 1 || count > messages) {
            throw new TransferException(
                    FailureKind.VERSION,
                    "a burst of " + count + " messages of " + size + " bytes is not part of this test");
        }
        sizeBytes = size;
        leftMessages = ahead > 0 ? count : 0;
        dueAnnouncements = Math.min(ahead, leftMessages);
        unannounced = leftMessages - dueAnnouncements;
        return (long) size * count;
    }

    // ---- By blocks.

    @Override
    public void onReceived(Block block) {
        ByteBuffer came = block.buffer();
        while (came.hasRemaining()) {
            if (dueAnnouncements > 0) {
                came.get();
                onAnnounced();
            } else if (leftBytes > 0) {
                int taken = (int) Math.min(leftBytes, came.remaining());
                came.position(came.position() + taken);
                leftBytes -= taken;
                if (leftBytes == 0) {
                    onTaken();
                }
            } else {
                memory.buffer().put(headBytes, came.get());
                headBytes++;
                if (headBytes == Bursts.HEAD_BYTES) {
                    headBytes = 0;
                    burstBytes = burstBytes(memory.buffer());
                    leftBytes = leftMessages > 0 ? 0 : burstBytes;
                    unsentWords++;
                }
            }
        }
        sendWords();
    }

    /** All that was due has come: the burst, or a message that was announced. */
    private void onTaken() {
        if (leftMessages > 0) {
            leftMessages--;
        }
        if (leftMessages == 0) {
            count(burstBytes);
            unsentWords++;
        } else if (unannounced > 0) {
            unannounced--;
            dueAnnouncements = 1;
        } else {
            leftBytes = sizeBytes;
        }
    }

    /** There is room for the message: what comes is dropped. */
    private void onAnnounced() {
        unsentWords++;
        dueAnnouncements--;
        if (dueAnnouncements == 0) {
            leftBytes = sizeBytes;
        }
    }

    private void sendWords() {
        if (isBegun()) {
            unsentWords = sendBlocks(unsentWords);
        }
    }

    @Override
    public void onSendable() {
        sendWords();
    }
}
