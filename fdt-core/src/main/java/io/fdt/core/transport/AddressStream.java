package io.fdt.core.transport;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose bytes move between an address and the network; what waits does so up to {@link #WAIT_MS}. Allocates
 * nothing from call to call.
 */
public abstract class AddressStream extends LaneStream implements DirectStream {
    /** So that a thread that waits in a call sees in time that its lane is to end. */
    public static final long WAIT_MS = 100;

    protected AddressStream(String peer) {
        super(peer);
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
