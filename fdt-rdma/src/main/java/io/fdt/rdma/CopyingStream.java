package io.fdt.rdma;

import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.LaneBlock;

/**
 * A lane's stream in the hands of the lane's thread: bytes are copied into its blocks and out of them. The lane's
 * way and this one share what has arrived.
 */
final class CopyingStream implements DirectStream, Received.Sink {
    private static final long WAIT_MS = 100;

    private final RdmaLane lane;

    /** Where the next bytes go; 0 where they are dropped. */
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
