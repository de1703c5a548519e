package io.fdt.core.transport;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A stream whose bytes move between an address and the network. Allocates nothing from call to call. */
public abstract class AddressStream extends LaneStream {
    /** So that a thread that waits in a call sees in time that its lane is to end. */
    public static final long WAIT_MS = 100;

    protected AddressStream(String peer) {
        super(peer);
    }

    /** Sends without waiting: the number of bytes, which may be 0. */
    protected abstract int sendNow(long address, int lengthBytes);

    /** Receives without waiting: the number of bytes, which may be 0, or {@link #END}. */
    protected abstract int receiveNow(long address, int lengthBytes);

    /** As {@link #sendNow}, but waits up to {@link #WAIT_MS}. */
    protected abstract int sendWaiting(long address, int lengthBytes);

    protected abstract int receiveWaiting(long address, int lengthBytes);

    /** As {@link #receiveWaiting}, but the bytes are dropped. */
    protected abstract int discardWaiting(int lengthBytes);

    /** As {@link #receiveNow}, up to this often until something is received. */
    protected int receivePolling(long address, int lengthBytes, int times) {
        for (int polls = 1; ; polls++) {
            int came = receiveNow(address, lengthBytes);
            if (came != 0 || polls >= times) {
                return came;
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void send(Block block) {
        ByteBuffer bytes = block.buffer();
        int sent = sendNow(block.address() + bytes.position(), bytes.remaining());
        bytes.position(bytes.position() + sent);
    }

    @Override
    public int receive(Block block, int from) {
        return receiveNow(block.address() + from, block.capacity() - from);
    }

    @Override
    public @Nullable DirectStream direct(BooleanSupplier ending) {
        return new DirectLaneStream(this, ending);
    }
}
