package io.fdt.core;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The load of a host in the last second, as one end of a session reports it to the other. Unknown figures are null or,
 * for numbers, -1; never zero.
 *
 * @param host its name
 */
public record HostView(String host, List<Core> cores, List<Nic> nics) {
    public HostView {
        cores = List.copyOf(cores);
        nics = List.copyOf(nics);
    }

    /** A core's activity, as shares of the second that add up to 1. */
    public record Core(
            int core,
            int node,
            double user,
            double nice,
            double system,
            double irq,
            double softirq,
            double iowait,
            double steal,
            double idle) {}

    /**
     * The traffic of a NIC.
     *
     * @param bond that it is a part of
     */
    public record Nic(
            String nic,
            long speedBits,
            @Nullable String bond,
            double rxBytesPerSecond,
            double txBytesPerSecond,
            double rxDropsPerSecond,
            double txDropsPerSecond) {}
}
