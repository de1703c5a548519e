package io.fdt.core.host;

import org.jspecify.annotations.Nullable;

/**
 * A queue of a NIC, for one direction.
 *
 * @param cores for a receive queue, those that the kernel spreads its packets over (RPS); for a transmit queue, those
 *     that send through it (XPS); null if the host does not show them
 * @param flows the number of entries in the flow steering table (RFS); -1 if unknown, and for a transmit queue
 */
public record NicQueue(int index, @Nullable CoreMask cores, long flows) {
    /** Whether packets go to, or come from, configured cores. */
    public boolean isSpread() {
        return cores != null && !cores.cores().isEmpty();
    }
}
