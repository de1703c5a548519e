package io.fdt.core.host;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A device below {@code /sys/class/infiniband}. */
public record RdmaDevice(String name, int node, List<Port> ports) {
    public RdmaDevice {
        ports = List.copyOf(ports);
    }

    /**
     * A port of the device.
     *
     * @param state {@code ACTIVE}, {@code DOWN} …
     * @param linkLayer {@code Ethernet} or {@code InfiniBand}
     * @param rate as the kernel writes it: {@code 100 Gb/sec (4X EDR)}
     * @param nic the interface of the port; empty if there is none
     * @param mtuBytes of RDMA packets: on Ethernet, the largest that fits the interface's MTU; 0 if unknown, because no
     *     kernel file shows it
     * @param counters those of {@code counters} and {@code hw_counters} that are not zero; data in bytes
     */
    public record Port(
            int number,
            String state,
            String linkLayer,
            String rate,
            String nic,
            int mtuBytes,
            SortedMap<String, Long> counters) {
        public Port {
            counters = new TreeMap<>(counters);
        }
    }
}
