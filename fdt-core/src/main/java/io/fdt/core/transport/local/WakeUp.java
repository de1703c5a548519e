package io.fdt.core.transport.local;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.nio.ByteBuffer;

/** Wakes a thread that waits in the kernel: an event descriptor that it waits for as well. Any thread, also after the end. */
final class WakeUp implements AutoCloseable {
    private final int fd;
    private final ByteBuffer number = Kernel.memory(8);

    // Guarded by this.
    private boolean rung;
    private boolean closed;

    WakeUp() {
        fd = Kernel.newEvent();
        if (fd < 0) {
            throw new TransferException(
                    FailureKind.CANNOT_CONNECT, "cannot make an event descriptor: " + Kernel.reason(-fd));
        }
    }

    int descriptor() {
        return fd;
    }

    synchronized void ring() {
        if (!rung && !closed) {
            rung = true;
            number.putLong(0, 1);
            Kernel.writeNumber(fd, number);
        }
    }

    /** The thread is awake; called before it looks at what it was woken for. */
    synchronized void heard() {
        if (rung && !closed) {
            rung = false;
            Kernel.readNumber(fd, number);
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            Kernel.closeDescriptor(fd);
        }
    }
}
