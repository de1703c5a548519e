package io.fdt.rdma;

import java.nio.ByteBuffer;

/** Memory for what is sent along with a connection. Belongs to the thread that connects or listens. */
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
