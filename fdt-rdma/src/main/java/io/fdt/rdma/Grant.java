package io.fdt.rdma;

import io.fdt.core.transport.DeviceQueues;
import java.nio.ByteBuffer;

/** A part of one end's memory that the other may read: its address, length and key. Sent to the peer as 20 bytes. */
record Grant(long address, long lengthBytes, int key) implements DeviceQueues.Granted {
    static final int BYTES = 20;

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(address)
                .putLong(lengthBytes)
                .putInt(key)
                .array();
    }

    static Grant of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a grant has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer from = ByteBuffer.wrap(bytes);
        return new Grant(from.getLong(), from.getLong(), from.getInt());
    }

    /** Returns the address of the byte at this offset, if {@code count} bytes are granted from there on. */
    long at(long at, int count) {
        if (at < 0 || count < 0 || at > lengthBytes - count) {
            throw new IllegalArgumentException(
                    count + " bytes at " + at + " are outside of the " + lengthBytes + " granted");
        }
        return address + at;
    }
}
