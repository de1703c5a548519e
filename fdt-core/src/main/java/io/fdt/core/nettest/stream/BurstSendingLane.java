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
 * Announces a burst, waits until the peer is ready for it, sends it, and waits for its acknowledgement, until there are
 * no more bursts or it is stopped: then the burst that is under way is the last. Goes by calls of its own thread where
 * the transport allows that, else by blocks. The peer's word is one byte, both times. Messages that go by rendezvous go
 * by blocks; each is announced by a byte, and the peer has a byte for each that it is ready for. The order is the same
 * always, so nothing need say what comes next: as many announcements as may be ahead, then a message and one
 * announcement by turns.
 */
final class BurstSendingLane extends MeasuredLane {
    private static final int WORD_BYTES = 1;

    /** What one call carries of messages that are smaller. */
    private static final int ROOM_BYTES = 128 << 10;

    private final Bursts bursts;
    private final LaneBytes source;
    private final LaneBytes head = LaneBytes.ofBytes(Bursts.HEAD_BYTES);
    private final LaneBytes word = LaneBytes.ofBytes(WORD_BYTES);
    private boolean direct;

    // By blocks.
    private Step step = Step.IDLE;
    private long unsentBytes;
    private long startedNanos;

    // By rendezvous: how many messages of the burst have been announced, are wanted by the peer, and have been begun.
    private int announced;
    private int wanted;
    private int begunMessages;

    private enum Step {
        IDLE,
        ANNOUNCED,
        SENDING
    }

    BurstSendingLane(Lane lane, LaneEnd end, Bursts bursts, int mostBytes) {
        super(lane, end);
        this.bursts = bursts;
        this.source = LaneBytes.ofBytes(Math.max(mostBytes, ROOM_BYTES));
    }

    @Override
    protected void onBegin() {
        DirectStream stream = bursts.haveRendezvous() ? null : lane().takeOver();
        if (stream == null) {
            announce();
            return;
        }
        direct = true;
        goDirectly(stream, open -> sendDirectly(new DirectExchange(open, false, word, WORD_BYTES)));
    }

    private void sendDirectly(DirectExchange exchange) {
        while (!isStopping() && bursts.next(head.buffer())) {
            if (!exchange.send(head.address(), Bursts.HEAD_BYTES) || !exchange.receive(WORD_BYTES)) {
                break;
            }
            long started = System.nanoTime();
            if (!sendBurst(exchange) || !exchange.receive(WORD_BYTES)) {
                break;
            }
            bursts.onAcknowledged(System.nanoTime() - started);
            count(bursts.burstBytes());
        }
    }

    private boolean sendBurst(DirectExchange exchange) {
        long address = source.address();
        int callBytes = bursts.callBytes(ROOM_BYTES);
        for (long left = bursts.burstBytes(); left > 0; left -= callBytes) {
            if (!exchange.send(address, (int) Math.min(left, callBytes))) {
                return false;
            }
        }
        return true;
    }

    // ---- By blocks.

    private void announce() {
        step = Step.IDLE;
        if (isClosed()) {
            return;
        }
        if (isStopping() || !bursts.next(head.buffer())) {
            end();
            return;
        }
        step = Step.ANNOUNCED;
        unsentBytes = Bursts.HEAD_BYTES;
        sendBlocks();
    }

    private void sendBlocks() {
        while (unsentBytes > 0 || nextOfRendezvous()) {
            Block block = lane().acquire();
            if (block == null) {
                return;
            }
            if (step == Step.SENDING && unsentBytes == 0) {
                int more = mayAnnounce();
                announced += more;
                block.buffer().limit(more);
                lane().send(block);
                continue;
            }
            if (step == Step.ANNOUNCED) {
                for (int at = 0; at < Bursts.HEAD_BYTES; at++) {
                    block.buffer().put(at, head.buffer().get(at));
                }
                block.buffer().limit(Bursts.HEAD_BYTES);
            } else {
                block.buffer().limit(nextBlockBytes());
            }
            unsentBytes -= block.buffer().limit();
            lane().send(block);
        }
    }

    /**
     * Goes on to the next message that the peer is ready for; true also where something is to be announced before it.
     */
    private boolean nextOfRendezvous() {
        if (step != Step.SENDING || bursts.announced() == 0) {
            return false;
        }
        if (mayAnnounce() > 0) {
            return true;
        }
        if (begunMessages == wanted) {
            return false;
        }
        begunMessages++;
        unsentBytes = bursts.sizeBytes();
        return true;
    }

    private int mayAnnounce() {
        return Math.min(bursts.messages(), begunMessages + bursts.announced()) - announced;
    }

    /** A message a block, or as many as there is room for; a message that is longer goes in several. */
    private int nextBlockBytes() {
        int room = lane().blockBytes();
        int sizeBytes = bursts.sizeBytes();
        if (sizeBytes <= room) {
            return (int) Math.min(unsentBytes, bursts.callBytes(room));
        }
        long leftOfMessage = (unsentBytes - 1) % sizeBytes + 1;
        return (int) Math.min(leftOfMessage, room);
    }

    @Override
    public void onSendable() {
        if (step != Step.IDLE) {
            sendBlocks();
        }
    }

    @Override
    public void onReceived(Block block) {
        int came = block.buffer().remaining();
        block.buffer().position(block.buffer().limit());
        if (step == Step.SENDING && wanted < bursts.messages() && bursts.announced() > 0) {
            wanted += came;
            if (wanted > announced) {
                throw new TransferException(
                        FailureKind.VERSION, "the other end requested a message that was not" + " announced");
            }
            sendBlocks();
            return;
        }
        if (came != WORD_BYTES || step == Step.IDLE || unsentBytes > 0) {
            throw new TransferException(FailureKind.VERSION, "an answer arrived to a burst that was not sent");
        }
        if (step == Step.ANNOUNCED) {
            step = Step.SENDING;
            announced = 0;
            wanted = 0;
            begunMessages = 0;
            unsentBytes = bursts.announced() == 0 ? bursts.burstBytes() : 0;
            startedNanos = System.nanoTime();
            sendBlocks();
        } else {
            bursts.onAcknowledged(System.nanoTime() - startedNanos);
            count(bursts.burstBytes());
            announce();
        }
    }

    /** The burst that is under way is waited for, so that both sides count it. */
    @Override
    protected void onStop() {
        if (!direct && isBegun() && step == Step.IDLE) {
            end();
        }
    }
}
