package io.fdt.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Room for one request to receive: the library copies a request when it is posted, so the next can be written here. */
final class ReceiveRequest implements AutoCloseable {
    private static final int BYTES = WorkLayout.RECEIVE_REQUEST_BYTES + WorkLayout.PART_BYTES;

    private final long address;
    private final ByteBuffer memory;

    ReceiveRequest() throws IOException {
        address = Verbs.map(BYTES, false);
        if (address == 0) {
            throw new IOException("no memory for requests");
        }
        memory = Verbs.view(address, BYTES).order(ByteOrder.nativeOrder());
        memory.putLong(16, address + WorkLayout.RECEIVE_REQUEST_BYTES).putInt(24, 1);
    }

    /** The request's address. */
    long write(RdmaMemory into, int at, int lengthBytes, long identifier) {
        int part = WorkLayout.RECEIVE_REQUEST_BYTES;
        memory.putLong(0, identifier)
                .putLong(part, into.at(at, lengthBytes))
                .putInt(part + 8, lengthBytes)
                .putInt(part + 12, into.localKey());
        return address;
    }

    @Override
    public void close() {
        Verbs.unmap(address, BYTES);
    }
}
