package io.fdt.core.transport;

import io.fdt.core.nativecode.Libc;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A wake-up that a thread can wait for together with other descriptors. */
public final class EventDescriptor extends WakeUp {
    private static final int CLOEXEC = 02000000;
    private static final int NONBLOCK = 04000;

    private final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES);

    public EventDescriptor() throws IOException {
        super(made());
    }

    private static int made() throws IOException {
        int fd = Libc.result(Libc.eventfd(0, CLOEXEC | NONBLOCK));
        if (fd < 0) {
            throw new IOException("cannot create an event descriptor: " + Libc.strerror(-fd));
        }
        return fd;
    }

    @Override
    protected void raise(int eventDescriptor) {
        // Any number except 0, in any byte order.
        number.putLong(0, 1);
        Libc.write(eventDescriptor, Libc.addressOf(number), Long.BYTES);
    }

    @Override
    protected void lower(int eventDescriptor) {
        Libc.read(eventDescriptor, Libc.addressOf(number), Long.BYTES);
    }

    @Override
    protected void free(int eventDescriptor) {
        Libc.close(eventDescriptor);
    }
}
