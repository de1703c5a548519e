package io.fdt.cli.engine;

import io.fdt.cli.value.Pin;
import io.fdt.core.transport.RdmaUse;
import io.fdt.rdma.RdmaSettings;
import org.jspecify.annotations.Nullable;

/**
 * How this side drives the network, whatever is moved over it.
 *
 * @param io {@code auto}, {@code epoll}, {@code io_uring} or {@code nio}
 * @param transport {@code auto}, {@code tcp} or {@code rdma}; of network tests also {@code unix} or {@code shm}
 * @param rdma what follows from that for lanes over RDMA; of a server, whether it takes them
 * @param socketBufferBytes of every lane's socket, or 0 for the kernel's choice
 * @param congestion TCP congestion control by its kernel name, or null for the kernel's choice
 */
public record NetworkOptions(
        String io,
        String transport,
        RdmaUse.Wish rdma,
        RdmaSettings rdmaLanes,
        int socketBufferBytes,
        @Nullable String congestion,
        Pin pin) {

    public NetworkOptions withoutRdma() {
        return new NetworkOptions(io, transport, RdmaUse.Wish.NEVER, rdmaLanes, socketBufferBytes, congestion, pin);
    }

    /** A write of a lane over RDMA carries at least so much. */
    public NetworkOptions withRdmaBlocksFor(int bytes) {
        int blockBytes = Math.max(rdmaLanes.blockBytes(), RdmaLanes.blockFor(bytes));
        return new NetworkOptions(
                io, transport, rdma, rdmaLanes.withBlockBytes(blockBytes), socketBufferBytes, congestion, pin);
    }
}
