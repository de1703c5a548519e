package io.fdt.rdma;

import io.fdt.core.transport.DeviceQueues;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Memory that a device reaches, in a mapping of its own. */
final class RdmaMemory implements DeviceQueues.Memory, AutoCloseable {
    private final long address;
    private final long lengthBytes;
    private final boolean readable;
    private final long region;
    private final int localKey;
    private final int remoteKey;

    RdmaMemory(long domain, long lengthBytes, boolean readable) throws IOException {
        this.lengthBytes = lengthBytes;
        this.readable = readable;
        address = Verbs.map(lengthBytes, false);
        if (address == 0) {
            throw new IOException("no memory of " + lengthBytes + " bytes");
        }
        int access = Disni.ACCESS_LOCAL_WRITE | (readable ? Disni.ACCESS_REMOTE_READ : 0);
        int[] keys = new int[2];
        try {
            region = Queues.registered(domain, address, lengthBytes, access, keys);
        } catch (IOException refused) {
            Verbs.unmap(address, lengthBytes);
            throw refused;
        }
        localKey = keys[0];
        remoteKey = keys[1];
    }

    @Override
    public ByteBuffer bytes() {
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

    /** The address of the byte at this place, if as many as that are there. */
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
        try {
            Disni.NATIVES._deregMr(region);
        } finally {
            Verbs.unmap(address, lengthBytes);
        }
    }
}
