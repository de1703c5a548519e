package io.fdt.cli.engine;

import io.fdt.cli.value.Pin;
import io.fdt.core.transport.RdmaUse;
import io.fdt.rdma.RdmaSettings;
import org.jspecify.annotations.Nullable;

/**
 * How this end uses the network, for all kinds of sessions.
 *
 * @param transport {@code auto}, {@code tcp} or {@code rdma}; for network tests also {@code unix} or {@code shm}
 * @param rdma the resulting choice for lanes over RDMA; for a server, whether it accepts them
 * @param socketBufferBytes for every lane's socket, or 0 for the kernel's default
 * @param congestion the kernel's name of the TCP congestion control, or null for the kernel's default
 */
public record NetworkOptions(
        String transport,
        RdmaUse.Wish rdma,
        RdmaSettings rdmaLanes,
        int socketBufferBytes,
        @Nullable String congestion,
        Pin pin) {

    public NetworkOptions withoutRdma() {
        return new NetworkOptions(transport, RdmaUse.Wish.NEVER, rdmaLanes, socketBufferBytes, congestion, pin);
    }

    /** Returns a copy in which a write of a lane over RDMA can carry at least this many bytes. */
    public NetworkOptions withRdmaBlocksFor(int bytes) {
        int blockBytes = Math.max(rdmaLanes.blockBytes(), RdmaLanes.blockFor(bytes));
        return new NetworkOptions(
                transport, rdma, rdmaLanes.withBlockBytes(blockBytes), socketBufferBytes, congestion, pin);
    }
}
