package io.fdt.core.transport;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import org.jspecify.annotations.Nullable;

/** The way to lanes over RDMA for those who know nothing of it: whether this host has any, and a transport over it. */
public interface RdmaProvider {
    /** Of a program that was put together without RDMA. */
    RdmaProvider NONE = new RdmaProvider() {
        private static final String WHY = "this program was built without RDMA";

        @Override
        public String obstacle() {
            return WHY;
        }

        @Override
        public Transport open(LanePlaces places) {
            throw FailureKind.NO_RDMA.failure(WHY);
        }

        @Override
        public long laneMemoryBytes() {
            return 0;
        }
    };

    /**
     * Why there is none here; null where {@link #open} is worth a try. Costs a look at a directory, and loads nothing.
     */
    @Nullable String obstacle();

    /**
     * A transport over this host's devices.
     *
     * @throws TransferException NO_RDMA with the reason, where there is no device or no library
     */
    Transport open(LanePlaces places);

    /** What one lane takes of a host's memory. */
    long laneMemoryBytes();
}
