package io.fdt.core.transport;

import java.util.function.BooleanSupplier;

/** A lane's stream used by the lane's thread itself, which checks before each call whether the lane is to end. */
final class DirectLaneStream implements DirectStream {
    /** A quarter of a millisecond at most where each one is a call of the kernel. */
    private static final int POLLS = 500;

    private final AddressStream stream;
    private final BooleanSupplier ending;

    DirectLaneStream(AddressStream stream, BooleanSupplier ending) {
        this.stream = stream;
        this.ending = ending;
    }

    @Override
    public int send(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.sendWaiting(address, lengthBytes);
    }

    @Override
    public int sendNow(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.sendNow(address, lengthBytes);
    }

    @Override
    public int receive(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.receiveWaiting(address, lengthBytes);
    }

    @Override
    public int receiveNow(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.receiveNow(address, lengthBytes);
    }

    @Override
    public int receivePolling(long address, int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.receivePolling(address, lengthBytes, POLLS);
    }

    @Override
    public int discard(int lengthBytes) {
        return ending.getAsBoolean() ? END : stream.discardWaiting(lengthBytes);
    }

    /** The lane makes the same calls: there is nothing to return to it. */
    @Override
    public void close() {}
}
