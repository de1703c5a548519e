package io.fdt.core.transport;

import java.util.function.BooleanSupplier;

/** A stream used directly by the lane's thread, which checks before each call whether the lane is to end. */
public record DirectLaneStream(DirectStream stream, BooleanSupplier ending) implements DirectStream {
    @Override
    public int send(long address, int lengthBytes, boolean waits) {
        return ending.getAsBoolean() ? END : stream.send(address, lengthBytes, waits);
    }

    @Override
    public int receive(long address, int lengthBytes, boolean waits) {
        return ending.getAsBoolean() ? END : stream.receive(address, lengthBytes, waits);
    }

    @Override
    public int receivePolling(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.receivePolling(address, lengthBytes);
    }

    @Override
    public int discard(int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.discard(lengthBytes);
    }
}
