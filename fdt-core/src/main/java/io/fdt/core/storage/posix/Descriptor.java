package io.fdt.core.storage.posix;

import java.util.concurrent.atomic.AtomicInteger;

/** An owned file descriptor: closed once, however often it is asked. */
public final class Descriptor implements AutoCloseable {
    private static final int CLOSED = -1;
    private final AtomicInteger fd;

    public Descriptor(int fd) {
        this.fd = new AtomicInteger(fd);
    }

    /** The number; using it after the close is a mistake of ours. */
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
