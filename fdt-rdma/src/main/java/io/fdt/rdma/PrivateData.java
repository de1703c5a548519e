package io.fdt.rdma;

import java.nio.ByteBuffer;

/** Memory for the private data of a connection. For the thread that connects or listens. */
final class PrivateData implements AutoCloseable {
    final long address;
    final ByteBuffer bytes;

    PrivateData() {
        address = Verbs.map(Hello.BYTES, false);
        if (address == 0) {
            throw new OutOfMemoryError("not enough memory to connect");
        }
        bytes = Verbs.view(address, Hello.BYTES);
    }

    @Override
    public void close() {
        Verbs.unmap(address, Hello.BYTES);
    }
}
