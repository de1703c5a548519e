package io.fdt.rdma;

import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.LaneBlock;

/**
 * A lane's stream for use by the lane's thread, which copies data into and out of the lane's blocks. Shares the
 * received data with the lane's usual delivery.
 */
final class CopyingStream implements DirectStream, Received.Sink {
    private static final long WAIT_MS = 100;

    private final RdmaLane lane;

    /** The address for the next bytes; 0 to drop them. */
    private long to;

    CopyingStream(RdmaLane lane) {
        this.lane = lane;
    }

    @Override
    public int send(long address, int lengthBytes, boolean waits) {
        return lane.sendCopy(address, lengthBytes, waits ? WAIT_MS : 0);
    }

    @Override
    public int receive(long address, int lengthBytes, boolean waits) {
        to = address;
        return lane.receive(this, lengthBytes, waits ? WAIT_MS : 0);
    }

    @Override
    public int discard(int lengthBytes) {
        return receive(0, lengthBytes, true);
    }

    @Override
    public void onBytes(LaneBlock block, int fromByte, int count) {
        if (to != 0) {
            Verbs.copy(to, block.address() + fromByte, count);
            to += count;
        }
    }
}
