package io.fdt.core.transport.local;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.transport.AddressStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A stream inside a host, and the socket that both kinds have: it shows how the peer ends. The end of the peer's stream
 * while the peer itself is still there is an orderly end; a peer that has gone altogether, because it gave the lane up
 * or was killed, is a loss.
 */
abstract class LocalStream extends AddressStream {
    final int fd;
    final ByteBuffer polled = Kernel.pollMemory();

    LocalStream(int fd, String peer) {
        super(peer);
        this.fd = fd;
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

    /** Whether the peer has gone altogether, and not just ended its stream. */
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
