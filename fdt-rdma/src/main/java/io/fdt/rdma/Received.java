package io.fdt.rdma;

import io.fdt.core.transport.Delivery;
import io.fdt.core.transport.LaneBlock;
import java.nio.ByteBuffer;

/**
 * The blocks that the peer has filled, on their way to the handler. A block is handed out where it lies. Only where the
 * handler leaves a tail and wants more than it holds, tail and what follows are put together in a block beside, for as
 * long as the tail lasts; then it goes on in place. The lane's thread only; allocates nothing.
 */
final class Received {
    private final LaneBlock[] blocks;
    private final int[] lengths;
    private final LaneBlock joint;

    private long arrived;
    private long givenBack;

    /**
     * Whether the block after those given back is being worked on, and its bytes up to here are used or in the joint.
     */
    private boolean open;

    private int openUsed;

    // What is handed out stands in the joint or in the open block, between these.
    private boolean inJoint;
    private int consumed;
    private int filled;

    /** In the joint: from here on its bytes are also in the open block, from {@link #jointFrom} on. */
    private int jointTail;

    private int jointFrom;

    Received(LaneBlock[] blocks, LaneBlock joint) {
        this.blocks = blocks;
        this.lengths = new int[blocks.length];
        this.joint = joint;
    }

    /** The index of the block that the peer has to fill next. */
    int nextIndex() {
        return (int) (arrived % blocks.length);
    }

    /** Whether the peer can have filled another block. */
    boolean mayArrive() {
        return arrived - givenBack < blocks.length;
    }

    void arrive(int lengthBytes) {
        lengths[nextIndex()] = lengthBytes;
        arrived++;
    }

    /** How many blocks the peer may fill again, from the beginning. */
    long givenBack() {
        return givenBack;
    }

    /** Where {@link #take} puts what has arrived. */
    interface Sink {
        void onBytes(LaneBlock block, int fromByte, int count);
    }

    /** Gives out up to so many bytes of what the handler has not taken, however they were cut; says how many. */
    int take(Sink sink, int mostBytes) {
        int taken = 0;
        while (taken < mostBytes && (consumed < filled || openNext())) {
            int count = Math.min(mostBytes - taken, filled - consumed);
            sink.onBytes(inJoint ? joint : blocks[openIndex()], consumed, count);
            consumed += count;
            taken += count;
            if (consumed == filled || (inJoint && consumed >= jointTail)) {
                leaveJoint();
            }
        }
        return taken;
    }

    int left() {
        int left = filled - consumed + (open ? lengths[openIndex()] - openUsed : 0);
        for (long block = givenBack + (open ? 1 : 0); block < arrived; block++) {
            left += lengths[(int) (block % blocks.length)];
        }
        return left;
    }

    void drop() {
        givenBack = arrived;
        open = false;
        inJoint = false;
        consumed = 0;
        filled = 0;
    }

    /**
     * Hands out what has arrived for as long as it is as much as the handler wants, or anything when the stream has
     * ended. Whatever the handler throws is passed on. Says whether a block was given back.
     */
    boolean deliver(Delivery delivery, boolean atEnd) {
        long before = givenBack;
        while (delivery.isDelivering()) {
            if (consumed == filled && !openNext()) {
                break;
            }
            boolean last = atEnd && !hasNext();
            handOut(delivery, last);
            if (consumed == filled || (inJoint && consumed >= jointTail)) {
                leaveJoint();
            } else if (last || !delivery.isDelivering() || !join()) {
                break;
            }
        }
        return givenBack != before;
    }

    /** More bytes than those between consumed and filled have arrived. */
    private boolean hasNext() {
        return (open && openUsed < lengths[openIndex()]) || arrived - givenBack > (open ? 1 : 0);
    }

    private int openIndex() {
        return (int) (givenBack % blocks.length);
    }

    /** Goes on with the next block in place. */
    private boolean openNext() {
        closeUsedUp();
        if (!open && arrived == givenBack) {
            return false;
        }
        inJoint = false;
        consumed = open ? openUsed : 0;
        open = true;
        filled = lengths[openIndex()];
        openUsed = filled;
        return true;
    }

    /** Gives the open block back when all its bytes are used or copied. */
    private void closeUsedUp() {
        if (open && openUsed == lengths[openIndex()]) {
            givenBack++;
            open = false;
            openUsed = 0;
        }
    }

    /** The tail in the joint is used up: what is left of it lies in the open block, too. */
    private void leaveJoint() {
        if (inJoint) {
            consumed = jointFrom + consumed - jointTail;
            inJoint = false;
            filled = lengths[openIndex()];
            openUsed = filled;
        }
        if (consumed == filled) {
            closeUsedUp();
            consumed = 0;
            filled = 0;
        }
    }

    /** Puts what follows behind the tail; false when nothing has come yet. */
    private boolean join() {
        if (!hasNext()) {
            return false;
        }
        LaneBlock from = inJoint ? joint : blocks[openIndex()];
        int tail = filled - consumed;
        ByteBuffer to = joint.buffer();
        to.clear();
        from.buffer().limit(filled).position(consumed);
        if (inJoint) {
            to.compact();
        } else {
            to.put(from.buffer());
        }
        closeUsedUp();
        int start = open ? openUsed : 0;
        open = true;
        int index = openIndex();
        int count = Math.min(lengths[index] - start, to.capacity() - tail);
        to.clear().position(tail);
        to.put(tail, blocks[index].buffer().clear(), start, count);
        inJoint = true;
        consumed = 0;
        filled = tail + count;
        jointTail = tail;
        jointFrom = start;
        openUsed = start + count;
        return true;
    }

    private void handOut(Delivery delivery, boolean last) {
        LaneBlock block = inJoint ? joint : blocks[openIndex()];
        consumed = delivery.handOut(block, consumed, filled, inJoint ? jointTail : filled, last);
    }
}
