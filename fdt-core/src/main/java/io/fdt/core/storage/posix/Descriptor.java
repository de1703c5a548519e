package io.fdt.core.storage.posix;

import java.util.concurrent.atomic.AtomicInteger;

/** An owned file descriptor, which is closed only once. */
public final class Descriptor implements AutoCloseable {
    private static final int CLOSED = -1;
    private final AtomicInteger fd;

    public Descriptor(int fd) {
        this.fd = new AtomicInteger(fd);
    }

    /** The number of the descriptor; it must not be used after close. */
    public int fd() {
        int value = fd.get();
        if (value == CLOSED) {
            throw new IllegalStateException("descriptor is closed");
        }
        return value;
    }

    @Override
    public void close() {
        Posix.closeFd(fd.getAndSet(CLOSED));
    }
}
