package io.fdt.core.transport.local;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.nio.ByteBuffer;

/**
 * The bytes under a lane, and the socket that both kinds of lane have: it tells how the peer ends. The end of the
 * peer's stream while the peer itself is still there is an orderly end; a peer that has gone altogether, because it
 * gave the lane up or was killed, is a loss. Belongs to the lane's thread, but for the time before the lane is started.
 */
abstract class LaneStream implements AutoCloseable {
    /** The peer has ended its stream in order. */
    static final int END = -1;

    final int fd;
    final String peer;
    final ByteBuffer polled = Kernel.pollMemory();
    private boolean closed;

    LaneStream(int fd, String peer) {
        this.fd = fd;
        this.peer = peer;
    }

    /** Sends without waiting: how many bytes went, which may be none. A failure is CONNECTION_LOST. */
    abstract int sendNow(long address, int lengthBytes);

    /** Receives without waiting: how many bytes came, which may be none, or {@link #END}. */
    abstract int receiveNow(long address, int lengthBytes);

    /** As {@link #sendNow}, but waits a while where nothing goes. */
    abstract int send(long address, int lengthBytes, long waitMs);

    abstract int receive(long address, int lengthBytes, long waitMs);

    abstract int discard(int lengthBytes, long waitMs);

    /** Waits until one of both may be possible, or the event is told, or the time is over; may return early. */
    abstract void await(boolean toReceive, boolean toSend, int event, long timeoutMs);

    /** Ends this side's stream behind what was sent. */
    final void endSending() {
        Kernel.endSending(fd);
    }

    /** Whether the peer has gone altogether, and not just ended its stream. */
    final boolean peerHasGone() {
        return Kernel.await(polled, fd, 0, -1, 0) > 0 && (Kernel.told(polled, 0) & Kernel.POLLHUP) != 0;
    }

    final TransferException lost(String what) {
        return new TransferException(FailureKind.CONNECTION_LOST, "lost the connection to " + peer + ": " + what);
    }

    final TransferException gone() {
        return lost("it disconnected without ending its stream");
    }

    /** Frees everything; the peer sees at once that this side has gone. */
    @Override
    public final void close() {
        if (!closed) {
            closed = true;
            Kernel.closeDescriptor(fd);
            release();
        }
    }

    void release() {}
}
