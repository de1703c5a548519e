package io.fdt.core.basic;

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

    public record Core(int core, int node, Shares shares) {}

    /** The shares of the second that a core was in each mode; for the rest of it, the core was idle. */
    public record Shares(
            double user, double nice, double system, double irq, double softirq, double iowait, double steal) {
        public double idle() {
            return Math.max(0, 1 - (user + nice + system + irq + softirq + iowait + steal));
        }

        /** Returns a share with four decimals, which is enough for display. */
        public static double rounded(double share) {
            return Math.round(share * 10_000) / 10_000.0;
        }
    }

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
