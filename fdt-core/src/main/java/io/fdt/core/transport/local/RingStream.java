package io.fdt.core.transport.local;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.transport.WakeUp;
import java.nio.ByteBuffer;

/**
 * Two rings in shared memory, one for each direction, and a socket for wake-ups: an end that sleeps marks this in the
 * memory, and the other end sends it a byte. Before it sleeps, an end polls for some microseconds, because a peer that
 * is running is faster than a wake-up. Calls allocate nothing.
 */
final class RingStream extends LocalStream {
    /** Longer than the peer takes for a piece, shorter than the kernel takes for a wake-up. */
    private static final long MAX_SPIN_NANOS = Runtime.getRuntime().availableProcessors() > 1 ? 20_000 : 0;

    /** Enough for a round trip to a peer that has a core to itself. */
    private static final long MIN_SPIN_NANOS = MAX_SPIN_NANOS / 10;

    /** Polls of an empty ring between polls of the socket, each of which is a system call. */
    private static final int LOOKS = 256;

    /** The peer has ended its stream and cannot send a wake-up, while this end still waits for room. */
    private static final long WITHOUT_BELL_MS = 1;

    private static final int BELL_BYTES = 64;

    private final SharedMemory memory;
    private final RingWriter out;
    private final RingReader in;
    private final ByteBuffer bell = Kernel.memory(BELL_BYTES);
    private final long bellAddress = Libc.addressOf(bell);
    private long spinNanos = MAX_SPIN_NANOS;
    private int looks;
    private boolean peerEnded;
    private boolean peerGone;

    /** @param client whether this is the client's end */
    RingStream(int fd, String peer, SharedMemory memory, boolean client) {
        super(fd, peer);
        this.memory = memory;
        this.out = new RingWriter(memory.ring(client ? 0 : 1, peer));
        this.in = new RingReader(memory.ring(client ? 1 : 0, peer));
    }

    @Override
    public int send(long address, int lengthBytes, boolean waits) {
        int sent = sendOnce(address, lengthBytes);
        if (sent > 0 || !waits) {
            return sent;
        }
        await(false, true, -1, WAIT_MS);
        return sendOnce(address, lengthBytes);
    }

    private int sendOnce(long address, int lengthBytes) {
        if (peerGone) {
            throw gone();
        }
        int sent = out.write(address, lengthBytes);
        if (sent > 0 && out.takeReadersCall()) {
            ring();
        }
        return sent;
    }

    @Override
    public int receive(long address, int lengthBytes, boolean waits) {
        int came = receiveOnce(address, lengthBytes);
        if (came != 0 || !waits) {
            return came;
        }
        await(true, false, -1, WAIT_MS);
        return receiveOnce(address, lengthBytes);
    }

    private int receiveOnce(long address, int lengthBytes) {
        int came = taken(in.read(address, lengthBytes));
        if (came > 0) {
            return came;
        }
        look();
        return peerEnded ? last(taken(in.read(address, lengthBytes))) : 0;
    }

    @Override
    public int discard(int lengthBytes) {
        int came = taken(in.skip(lengthBytes));
        if (came == 0) {
            await(true, false, -1, WAIT_MS);
            came = taken(in.skip(lengthBytes));
        }
        return came == 0 && peerEnded ? last(taken(in.skip(lengthBytes))) : came;
    }

    private int taken(int bytes) {
        if (bytes > 0 && in.takeWritersCall()) {
            ring();
        }
        return bytes;
    }

    /** Bytes in the ring come before the end that was seen. */
    private int last(int bytes) {
        if (bytes > 0) {
            return bytes;
        }
        if (peerGone) {
            throw gone();
        }
        return END;
    }

    /** If the socket is full, a wake-up is already pending; if there is no peer, {@link #look} detects it. */
    private void ring() {
        SocketCalls.send(fd, bellAddress, 1, false);
    }

    private void look() {
        looks++;
        if (looks >= LOOKS) {
            listen();
        }
    }

    /** Receives the wake-ups, and detects whether the peer has ended. */
    private void listen() {
        looks = 0;
        if (peerGone) {
            return;
        }
        int came = peerEnded ? 0 : SocketCalls.receive(fd, bellAddress, BELL_BYTES, false);
        if (came == 0) {
            peerGone = peerHasGone();
            peerEnded = true;
        } else if (came < 0 && came != -SocketCalls.EAGAIN && came != -SocketCalls.EINTR) {
            peerGone = true;
            peerEnded = true;
        }
    }

    @Override
    public void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos) {
        await(toReceive, toSend, woken.descriptor(), millis(nanos));
    }

    private void await(boolean toReceive, boolean toSend, int event, long timeoutMs) {
        if (peerGone || spins(toReceive, toSend)) {
            return;
        }
        in.waits(toReceive);
        out.waits(toSend);
        if (!ready(toReceive, toSend)) {
            if (peerEnded) {
                Kernel.await(polled, fd, 0, event, Math.min(timeoutMs, WITHOUT_BELL_MS));
            } else {
                Kernel.await(polled, fd, Kernel.POLLIN, event, timeoutMs);
            }
            if (Kernel.events(polled, 0) != 0) {
                listen();
            }
        }
        in.waits(false);
        out.waits(false);
    }

    /** Polls as long as it has recently been successful: otherwise the peer may be waiting for this core. */
    private boolean spins(boolean toReceive, boolean toSend) {
        long started = System.nanoTime();
        do {
            if (ready(toReceive, toSend)) {
                spinNanos = Math.min(MAX_SPIN_NANOS, 2 * spinNanos);
                return true;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - started < spinNanos);
        spinNanos = Math.max(MIN_SPIN_NANOS, spinNanos / 2);
        return false;
    }

    private boolean ready(boolean toReceive, boolean toSend) {
        return (toReceive && in.available() > 0) || (toSend && out.room() > 0);
    }

    @Override
    protected void free() {
        super.free();
        memory.close();
    }
}
