package io.fdt.rdma;

import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.LaneBlock;

/**
 * A lane's stream in the hands of the lane's thread: bytes are copied into its blocks and out of them. After each short
 * wait it looks whether the lane is to end.
 */
final class CopyingStream implements DirectStream, Received.Sink {
    private static final long WAIT_MS = 100;

    private static final int POLLS = 500;

    private final RdmaLane lane;

    /** Where the next bytes go; 0 where they are dropped. */
    private long to;

    CopyingStream(RdmaLane lane) {
        this.lane = lane;
    }

    @Override
    public int send(long address, int lengthBytes) {
        return lane.mustEnd() ? END : lane.sendCopy(address, lengthBytes, WAIT_MS);
    }

    @Override
    public int sendNow(long address, int lengthBytes) {
        return lane.mustEnd() ? END : lane.sendCopy(address, lengthBytes, 0);
    }

    @Override
    public int receive(long address, int lengthBytes) {
        return received(address, lengthBytes, WAIT_MS);
    }

    @Override
    public int receiveNow(long address, int lengthBytes) {
        return received(address, lengthBytes, 0);
    }

    @Override
    public int receivePolling(long address, int lengthBytes) {
        for (int polls = 1; ; polls++) {
            int came = received(address, lengthBytes, 0);
            if (came != 0 || polls >= POLLS) {
                return came;
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public int discard(int lengthBytes) {
        return received(0, lengthBytes, WAIT_MS);
    }

    private int received(long address, int lengthBytes, long waitMs) {
        to = address;
        return lane.mustEnd() ? END : lane.receive(this, lengthBytes, waitMs);
    }

    @Override
    public void onBytes(LaneBlock block, int fromByte, int count) {
        if (to != 0) {
            Verbs.copy(to, block.address() + fromByte, count);
            to += count;
        }
    }

    /** The lane's way and this one share what has arrived: there is nothing to give back. */
    @Override
    public void close() {}
}
