package io.fdt.rdma;

import io.fdt.core.transport.Delivery;
import io.fdt.core.transport.LaneBlock;
import java.nio.ByteBuffer;

/**
 * The blocks that the peer has filled, on their way to the handler. Data is handed out in place. Only if the handler
 * leaves a tail and needs more, the tail and the following data are copied together into a separate block, the joint,
 * until the tail is used up; then delivery continues in place. For the lane's thread; allocates nothing.
 */
final class Received {
    private final LaneBlock[] blocks;
    private final int[] lengths;
    private final LaneBlock joint;

    private long arrived;
    private long givenBack;

    /**
     * Whether the block after those given back is open; its bytes before {@link #openUsed} have been used, are being
     * handed out, or are in the joint.
     */
    private boolean open;

    private int openUsed;

    // The bytes to hand out: from consumed to filled, in the joint or in the open block.
    private boolean inJoint;
    private int consumed;
    private int filled;

    /** The index in the joint after which its bytes are also in the open block, there from {@link #jointFrom} on. */
    private int jointTail;

    private int jointFrom;

    Received(LaneBlock[] blocks, LaneBlock joint) {
        this.blocks = blocks;
        this.lengths = new int[blocks.length];
        this.joint = joint;
    }

    /** Returns the index of the block that the peer must fill next. */
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

    /** Returns the total number of blocks that have been given back to the peer. */
    long givenBack() {
        return givenBack;
    }

    /** Receives the data from {@link #take}. */
    interface Sink {
        void onBytes(LaneBlock block, int fromByte, int count);
    }

    /**
     * Passes up to this many bytes that the handler has not taken to the sink, regardless of block boundaries; returns
     * their number.
     */
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
     * Hands out received data while there is as much as the handler needs, or any amount at the end of the stream.
     * Exceptions of the handler are propagated. Returns whether a block was given back.
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

    /** Whether more bytes have arrived than those between consumed and filled. */
    private boolean hasNext() {
        return (open && openUsed < lengths[openIndex()]) || arrived - givenBack > (open ? 1 : 0);
    }

    private int openIndex() {
        return (int) (givenBack % blocks.length);
    }

    /** Continues in place with the next block. */
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

    /** Gives the open block back if all its bytes have been used or copied. */
    private void closeUsedUp() {
        if (open && openUsed == lengths[openIndex()]) {
            givenBack++;
            open = false;
            openUsed = 0;
        }
    }

    /** If the tail in the joint is used up, continues in the open block, which also contains the rest. */
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

    /** Appends the following data to the tail; returns false if none has arrived. */
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
