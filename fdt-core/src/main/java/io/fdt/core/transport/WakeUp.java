package io.fdt.core.transport;

/**
 * Ends the wait of a lane's thread, through an event descriptor that the thread also waits for, or polls while it does
 * not sleep. Thread-safe, also after the end. Subclasses define how the descriptor is accessed.
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

    /** The thread is awake; called before it checks what it was woken for. */
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

    /** Makes the descriptor readable. Calls of this and the other methods are serialized. */
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
