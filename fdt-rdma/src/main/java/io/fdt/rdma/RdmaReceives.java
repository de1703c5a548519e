package io.fdt.rdma;

import io.fdt.core.transport.DeviceQueues;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A shared receive queue. */
final class RdmaReceives implements DeviceQueues.SharedReceives, AutoCloseable {
    private final ReceiveRequest request = new ReceiveRequest();
    private final long queue;
    private boolean closed;

    RdmaReceives(long domain, int receives) throws IOException {
        try {
            queue = Verbs.createShared(domain, receives);
        } catch (IOException refused) {
            request.close();
            throw refused;
        }
    }

    long handle() {
        return queue;
    }

    @Override
    public void receive(DeviceQueues.Memory into, int at, int lengthBytes, int number) {
        long posted = request.write((RdmaMemory) into, at, lengthBytes, RdmaPair.RECEIVED | (number & 0xffffffffL));
        try {
            Verbs.check(Verbs.postShared(queue, posted), "ibv_post_srq_recv");
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        request.close();
        Verbs.check(Verbs.destroyShared(queue), "ibv_destroy_srq");
    }
}
