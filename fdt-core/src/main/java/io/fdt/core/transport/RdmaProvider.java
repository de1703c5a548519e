package io.fdt.core.transport;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import org.jspecify.annotations.Nullable;

/** Access to RDMA for code that does not depend on it: whether this host supports it, and a transport over it. */
public interface RdmaProvider {
    /** For a program without the RDMA module. */
    RdmaProvider NONE = new RdmaProvider() {
        private static final String WHY = "this program was built without RDMA";

        @Override
        public String obstacle() {
            return WHY;
        }

        @Override
        public Transport open(LanePlaces places) {
            throw Cause.NO_RDMA.failure(WHY);
        }

        @Override
        public long laneMemoryBytes() {
            return 0;
        }
    };

    /**
     * The reason why RDMA is not available; null if {@link #open} may succeed. Only reads a directory, and loads
     * nothing.
     */
    @Nullable String obstacle();

    /**
     * Opens a transport over this host's devices.
     *
     * @throws TransferException NO_RDMA with the reason, if there is no device or no library
     */
    Transport open(LanePlaces places);

    long laneMemoryBytes();
}
