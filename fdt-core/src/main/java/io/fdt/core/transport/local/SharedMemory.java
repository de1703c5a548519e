package io.fdt.core.transport.local;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.UnnamedMemory;
import java.nio.ByteBuffer;

/**
 * The mapped memory of a shared memory lane. It has no name in any file system: the client creates it and passes its
 * descriptor on, and the kernel frees it with the last of the two processes, however they end. Its size is sealed,
 * because a peer that could shrink it could kill this process. Belongs to the thread that opens the lane, then to the
 * lane's thread.
 */
final class SharedMemory implements AutoCloseable {
    private final long address;
    private final ByteBuffer view;
    private boolean closed;

    private SharedMemory(long address) {
        this.address = address;
        this.view = Libc.bufferAt(address, Ring.TOTAL_BYTES);
    }

    /** Maps the memory that a peer passed, if it is valid. The descriptor still belongs to the caller. */
    static SharedMemory of(int fd, String peer) {
        int seals = Kernel.sealsOf(fd);
        if (seals < 0
                || (seals & UnnamedMemory.SEALS) != UnnamedMemory.SEALS
                || Kernel.sizeOf(fd) != Ring.TOTAL_BYTES) {
            throw Cause.MALFORMED.failure(peer + " handed over something that is not the sealed memory of a lane");
        }
        long address = UnnamedMemory.map(fd, Ring.TOTAL_BYTES);
        if (address < 0) {
            throw Cause.CANNOT_CONNECT.failure("cannot map the memory of a lane: " + Kernel.reason((int) -address));
        }
        return new SharedMemory(address);
    }

    /** @param direction 0 from the client to the server, 1 back */
    Ring ring(int direction, String peer) {
        return Ring.of(view, address, direction, peer);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Libc.munmap(address, Ring.TOTAL_BYTES);
        }
    }
}
