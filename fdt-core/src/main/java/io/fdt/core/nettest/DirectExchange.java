package io.fdt.core.nettest;

import io.fdt.core.transport.DirectStream;

/** Whole messages over a stream that the lane's thread holds. The lane's thread. */
public final class DirectExchange {
    /** Longer messages are received piece by piece into the same memory. */
    public static final int MOST_RECEIVED_BYTES = 1 << 20;

    private final DirectStream stream;
    private final boolean polling;
    private final LaneBytes memory;
    private final int roomBytes;

    public DirectExchange(DirectStream stream, boolean polling, LaneBytes memory, int roomBytes) {
        this.stream = stream;
        this.polling = polling;
        this.memory = memory;
        this.roomBytes = roomBytes;
    }

    /** Returns when the network has taken all of it; false when the stream has ended. */
    public boolean send(long address, int lengthBytes) {
        return MeasuredLane.sendAll(stream, address, lengthBytes);
    }

    /**
     * Returns when all of it has come; false when the stream has ended before. What fits into the memory lies there
     * whole, however many pieces it came in.
     */
    public boolean receive(long lengthBytes) {
        long received = 0;
        while (received < lengthBytes) {
            int at = (int) (received % roomBytes);
            int room = (int) Math.min(lengthBytes - received, roomBytes - at);
            long address = memory.address() + at;
            int came = polling ? stream.receivePolling(address, room) : stream.receive(address, room);
            if (came == DirectStream.END) {
                return false;
            }
            received += came;
        }
        return true;
    }
}
