package io.fdt.core.transport;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose bytes move between a memory address and the network. Calls that wait do so for at most {@link
 * #WAIT_MS}. Calls allocate nothing.
 */
public abstract class AddressStream extends LaneStream implements DirectStream {
    /** Short enough for a waiting thread to notice in time that its lane is to end. */
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
