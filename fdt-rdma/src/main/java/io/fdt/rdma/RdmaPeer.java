package io.fdt.rdma;

import io.fdt.core.transport.DeviceQueues;
import java.io.Closeable;
import java.io.IOException;

/** The address of a datagram pair, with the number and the key for datagrams to it. */
record RdmaPeer(long handle, int number, int key) implements DeviceQueues.Peer, Closeable {
    @Override
    public void close() throws IOException {
        Verbs.check(Verbs.destroyAddress(handle), "ibv_destroy_ah");
    }
}
