package io.fdt.core.host;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A network interface.
 *
 * @param counters bytes, packets and drops, by file name
 */
public record Nic(String name, Device device, Link link, Queues queues, SortedMap<String, Long> counters) {
    public Nic {
        counters = new TreeMap<>(counters);
    }

    /**
     * The device of an interface, and its place in the host.
     *
     * @param driver empty if it has none
     * @param hardware whether there is a device, physical or virtual
     * @param node its NUMA node; -1 if unknown, or if there is only one
     * @param pci null if there is no PCI link or the host does not show it
     * @param settings null if they cannot be read
     */
    public record Device(
            String driver,
            boolean hardware,
            int node,
            @Nullable PciLink pci,
            @Nullable NicSettings settings) {}

    /**
     * The state of its link.
     *
     * @param bitsPerSecond its speed; 0 if unknown
     * @param mtuBytes 0 if unknown
     */
    public record Link(boolean up, long bitsPerSecond, int mtuBytes) {}

    public record Queues(List<NicQueue> received, List<NicQueue> sent, List<Interrupt> interrupts) {
        public Queues {
            received = List.copyOf(received);
            sent = List.copyOf(sent);
            interrupts = List.copyOf(interrupts);
        }

        /** Returns the interrupts for received and sent packets, ordered by queue. */
        public List<Interrupt> queueInterrupts() {
            return interrupts.stream()
                    .filter(interrupt -> interrupt.serves() != Interrupt.Serves.CONTROL)
                    .toList();
        }
    }
}
