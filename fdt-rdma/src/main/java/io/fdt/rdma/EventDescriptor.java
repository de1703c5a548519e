package io.fdt.rdma;

import io.fdt.core.transport.WakeUp;
import java.io.IOException;

/** A wake-up that a thread can wait for together with what the device does. */
final class EventDescriptor extends WakeUp {
    EventDescriptor() throws IOException {
        super(made());
    }

    private static int made() throws IOException {
        int descriptor = Verbs.newWakeUp();
        if (descriptor < 0) {
            throw new IOException("cannot create an event descriptor: " + Verbs.errorText(-descriptor));
        }
        return descriptor;
    }

    @Override
    protected void raise(int eventDescriptor) {
        Verbs.ring(eventDescriptor);
    }

    @Override
    protected void lower(int eventDescriptor) {
        Verbs.heard(eventDescriptor);
    }

    @Override
    protected void free(int eventDescriptor) {
        Verbs.closeWakeUp(eventDescriptor);
    }
}
