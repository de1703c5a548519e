package io.fdt.core.transport.local;

import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.LaneStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A stream within a host, and the socket that both kinds have, which shows how the peer ends. If the peer's stream ends
 * while the peer still exists, that is an orderly end; a peer that has closed everything, because it gave the lane up
 * or was killed, is a loss.
 */
abstract class LocalStream extends LaneStream implements DirectStream {
    final int fd;
    final ByteBuffer polled = Kernel.pollMemory();

    LocalStream(int fd, String peer) {
        super(peer);
        this.fd = fd;
    }

    @Override
    public final void send(Block block) {
        ByteBuffer bytes = block.buffer();
        int sent = sendNow(block.address() + bytes.position(), bytes.remaining());
        bytes.position(bytes.position() + sent);
    }

    @Override
    public final int receive(Block block, int from) {
        return receiveNow(block.address() + from, block.capacity() - from);
    }

    @Override
    public final DirectStream direct() {
        return this;
    }

    /** Rounded up: a wait that ends early would only be repeated. */
    static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos + 999_999);
    }

    @Override
    public final boolean endSending() {
        SocketCalls.endSending(fd);
        return true;
    }

    /** Whether the peer has closed everything, and not only ended its stream. */
    final boolean peerHasGone() {
        return Kernel.await(polled, fd, 0, -1, 0) > 0 && (Kernel.events(polled, 0) & Kernel.POLLHUP) != 0;
    }

    final TransferException gone() {
        return lost("it disconnected without ending its stream");
    }

    @Override
    protected void free() {
        Libc.close(fd);
    }
}
