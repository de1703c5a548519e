package io.fdt.core.transport.local;

import io.fdt.core.transport.DirectStream;
import java.util.function.BooleanSupplier;

/** A lane's stream in the hands of the lane's thread, which looks after each short wait whether the lane is to end. */
final class DirectLaneStream implements DirectStream {
    private static final int POLLS = 500;

    private final LaneStream stream;
    private final BooleanSupplier ending;

    DirectLaneStream(LaneStream stream, BooleanSupplier ending) {
        this.stream = stream;
        this.ending = ending;
    }

    @Override
    public int send(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.send(address, lengthBytes, SocketStream.WAIT_MS);
    }

    @Override
    public int sendNow(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.sendNow(address, lengthBytes);
    }

    @Override
    public int receive(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.receive(address, lengthBytes, SocketStream.WAIT_MS);
    }

    @Override
    public int receiveNow(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.receiveNow(address, lengthBytes);
    }

    @Override
    public int receivePolling(long address, int lengthBytes) {
        if (ending.getAsBoolean()) {
            return END;
        }
        for (int polls = 1; ; polls++) {
            int came = stream.receiveNow(address, lengthBytes);
            if (came != 0 || polls >= POLLS) {
                return came;
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public int discard(int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.discard(lengthBytes, SocketStream.WAIT_MS);
    }

    /** The lane's way and this one are the same calls: there is nothing to give back. */
    @Override
    public void close() {}
}
