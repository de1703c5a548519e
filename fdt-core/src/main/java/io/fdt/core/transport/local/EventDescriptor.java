package io.fdt.core.transport.local;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.WakeUp;
import java.nio.ByteBuffer;

/** A wake-up whose descriptor is reached through the C library. */
final class EventDescriptor extends WakeUp {
    private final ByteBuffer number = Kernel.memory(8);

    EventDescriptor() {
        super(made());
    }

    private static int made() {
        int fd = Kernel.newEvent();
        if (fd < 0) {
            throw new TransferException(
                    FailureKind.CANNOT_CONNECT, "cannot create an event descriptor: " + Kernel.reason(-fd));
        }
        return fd;
    }

    @Override
    protected void raise(int eventDescriptor) {
        number.putLong(0, 1);
        Kernel.writeNumber(eventDescriptor, number);
    }

    @Override
    protected void lower(int eventDescriptor) {
        Kernel.readNumber(eventDescriptor, number);
    }

    @Override
    protected void free(int eventDescriptor) {
        Kernel.closeDescriptor(eventDescriptor);
    }
}
