package io.fdt.rdma;

import java.io.IOException;

/** Wakes a thread that waits in the kernel or asks the device again and again. Any thread, also after the end. */
final class WakeUp implements AutoCloseable {
    private final int descriptor;
    private volatile boolean rung;

    // Guarded by this.
    private boolean closed;

    WakeUp() throws IOException {
        descriptor = Verbs.newWakeUp();
        if (descriptor < 0) {
            throw new IOException("cannot make an event descriptor: " + Verbs.errorText(-descriptor));
        }
    }

    int descriptor() {
        return descriptor;
    }

    boolean isRung() {
        return rung;
    }

    synchronized void ring() {
        if (!rung && !closed) {
            rung = true;
            Verbs.ring(descriptor);
        }
    }

    /** The thread is awake; called before it looks at what it was woken for. */
    void heard() {
        if (rung) {
            synchronized (this) {
                if (rung && !closed) {
                    rung = false;
                    Verbs.heard(descriptor);
                }
            }
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            Verbs.closeWakeUp(descriptor);
        }
    }
}
