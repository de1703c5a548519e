package io.fdt.core;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The load of a host in the last second, as one end of a session reports it to the other. What is not known is null or,
 * among numbers, -1; never zero.
 *
 * @param host its name
 */
public record HostView(String host, List<Core> cores, List<Nic> nics) {
    /** Of a core's time, what is the whole. */
    public static final int WHOLE = 1000;

    public HostView {
        cores = List.copyOf(cores);
        nics = List.copyOf(nics);
    }

    /** What a core did, in thousandths of the second; what is left of 1000 it was idle. */
    public record Core(
            int core, int node, int user, int nice, int system, int irq, int softirq, int iowait, int steal) {
        public int idle() {
            return Math.max(0, WHOLE - user - nice - system - irq - softirq - iowait - steal);
        }
    }

    /**
     * What a NIC moved.
     *
     * @param bond that it is a part of
     */
    public record Nic(
            String nic,
            long speedBits,
            @Nullable String bond,
            long rxBytesPerSecond,
            long txBytesPerSecond,
            long rxDropsPerSecond,
            long txDropsPerSecond) {}
}
