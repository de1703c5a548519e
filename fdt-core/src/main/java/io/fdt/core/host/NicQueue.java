package io.fdt.core.host;

import org.jspecify.annotations.Nullable;

/**
 * One queue of a NIC, in one direction.
 *
 * @param cores for a receiving queue those among which the kernel spreads its packets (RPS), for a sending one those
 *     whose packets go to it (XPS); null when the host does not say
 * @param flows entries of the table by which packets follow their stream (RFS); -1 when unknown, and for a sending
 * queue
 */
public record NicQueue(int index, @Nullable CoreMask cores, long flows) {
    /** Whether its packets go to, or come from, chosen cores. */
    public boolean isSpread() {
        return cores != null && !cores.cores().isEmpty();
    }
}
