package io.fdt.rdma;

import io.fdt.core.transport.DeviceQueues;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory that a device can access: a mapping of its own, or a caller's buffer, which it keeps a reference to. */
final class RdmaMemory implements DeviceQueues.Memory, Closeable {
    /** The caller's buffer; null for a mapping of our own. */
    private final @Nullable ByteBuffer lent;

    private final long address;
    private final long lengthBytes;
    private final boolean readable;
    private final long region;
    private final int localKey;
    private final int remoteKey;
    private boolean closed;

    private RdmaMemory(long domain, @Nullable ByteBuffer lent, long address, long lengthBytes, boolean readable)
            throws IOException {
        this.lent = lent;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.readable = readable;
        int access = Disni.ACCESS_LOCAL_WRITE | (readable ? Disni.ACCESS_REMOTE_READ : 0);
        int[] keys = new int[2];
        region = Verbs.registered(domain, address, lengthBytes, access, keys);
        localKey = keys[0];
        remoteKey = keys[1];
    }

    static RdmaMemory mapped(long domain, long lengthBytes, boolean readable) throws IOException {
        long address = Verbs.map(lengthBytes, false);
        if (address == 0) {
            throw new IOException("no memory of " + lengthBytes + " bytes");
        }
        try {
            return new RdmaMemory(domain, null, address, lengthBytes, readable);
        } catch (IOException refused) {
            Verbs.unmap(address, lengthBytes);
            throw refused;
        }
    }

    /** Registers all of a direct buffer, regardless of its position and limit. */
    static RdmaMemory of(long domain, ByteBuffer bytes, boolean readable) throws IOException {
        if (!bytes.isDirect()) {
            throw new IllegalArgumentException("a device reaches no memory of Java's heap");
        }
        return new RdmaMemory(domain, bytes, Verbs.address(bytes), bytes.capacity(), readable);
    }

    @Override
    public ByteBuffer bytes() {
        if (lent != null) {
            return lent.duplicate().clear();
        }
        if (lengthBytes > Integer.MAX_VALUE) {
            throw new IllegalStateException("memory of " + lengthBytes + " bytes is too long for one view");
        }
        return Verbs.view(address, lengthBytes);
    }

    @Override
    public byte[] grant(long at, long granted) {
        if (!readable) {
            throw new IllegalStateException("peers may not read this memory");
        }
        if (at < 0 || granted < 1 || at > lengthBytes - granted) {
            throw new IllegalArgumentException("no " + granted + " bytes at " + at + " of " + lengthBytes);
        }
        return new Grant(address + at, granted, remoteKey).toBytes();
    }

    /** Returns the address of the byte at this offset, if {@code count} bytes follow. */
    long at(int at, int count) {
        if (at < 0 || count < 0 || at > lengthBytes - count) {
            throw new IllegalArgumentException("no " + count + " bytes at " + at + " of " + lengthBytes);
        }
        return address + at;
    }

    int localKey() {
        return localKey;
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Disni.NATIVES._deregMr(region);
        } finally {
            if (lent == null) {
                Verbs.unmap(address, lengthBytes);
            }
        }
    }
}
