package io.fdt.core.transport.tcp;

import java.nio.ByteBuffer;

/**
 * How many received bytes end a wait of the lane (SO_RCVLOWAT): as many as its handler needs, so that a block whose
 * packets come one by one costs one wake-up. The kernel ends a wait earlier if the peer ends its stream, or if the
 * window is used up. Calls that do not wait receive whatever there is. For the lane's thread.
 */
final class LeastReceived {
    /** For fewer bytes, setting it costs more than it saves. */
    static final int LEAST_BYTES = 16 << 10;

    /** It stays while it is below the needed bytes by at most this. */
    private static final int SLACK_BYTES = 8 << 10;

    /**
     * The part of the receive buffer that may wait for its reader. About half of the buffer is window, and most of that
     * must be open for the packets that are under way.
     */
    private static final int PART_OF_BUFFER = 8;

    /** The kernel makes the buffer larger while the connection becomes faster. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private final int fd;
    private final ByteBuffer scratch;
    private int bytes = 1;
    private int bufferBytes;
    private long lookedNanos;

    LeastReceived(int fd, ByteBuffer scratch) {
        this.fd = fd;
        this.scratch = scratch;
    }

    /** Before a wait, after which this many bytes are needed. */
    void await(int neededBytes) {
        int wanted = neededBytes < LEAST_BYTES ? 1 : Math.min(neededBytes, mostBytes());
        if (wanted < LEAST_BYTES) {
            reset();
        } else if (bytes > wanted || bytes < wanted - SLACK_BYTES) {
            set(wanted);
        }
    }

    private int mostBytes() {
        long now = System.nanoTime();
        if (bufferBytes == 0 || now - lookedNanos >= LOOK_NANOS) {
            lookedNanos = now;
            bufferBytes = Math.max(1, Sockets.option(fd, Sockets.SO_RCVBUF, scratch));
        }
        return bufferBytes / PART_OF_BUFFER;
    }

    /** Before a call that waits for any bytes. */
    void reset() {
        if (bytes != 1) {
            set(1);
        }
    }

    /** If the kernel refuses, the connection has failed, and every wait ends. */
    private void set(int wanted) {
        bytes = wanted;
        var unused = Sockets.setLeastReceived(fd, scratch, wanted);
    }
}
