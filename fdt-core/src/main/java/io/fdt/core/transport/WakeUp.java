package io.fdt.core.transport;

/**
 * Ends the wait of a lane's thread: an event descriptor that it waits for as well, or looks at while it does not sleep.
 * Any thread, also after the end. Who makes it says how the descriptor is reached.
 */
public abstract class WakeUp implements AutoCloseable {
    private final int descriptor;
    private volatile boolean rung;

    // Guarded by this.
    private boolean closed;

    protected WakeUp(int descriptor) {
        this.descriptor = descriptor;
    }

    public final int descriptor() {
        return descriptor;
    }

    public final boolean isRung() {
        return rung;
    }

    public final synchronized void ring() {
        if (!rung && !closed) {
            rung = true;
            raise(descriptor);
        }
    }

    /** The thread is awake; called before it looks at what it was woken for. */
    public final void heard() {
        if (rung) {
            synchronized (this) {
                if (rung && !closed) {
                    rung = false;
                    lower(descriptor);
                }
            }
        }
    }

    /** Makes the descriptor readable. One call at a time, as of the others. */
    protected abstract void raise(int eventDescriptor);

    protected abstract void lower(int eventDescriptor);

    protected abstract void free(int eventDescriptor);

    @Override
    public final synchronized void close() {
        if (!closed) {
            closed = true;
            free(descriptor);
        }
    }
}
