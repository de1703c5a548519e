package io.fdt.core.host;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A network interface.
 *
 * @param driver empty if it has none
 * @param hardware whether it has a device, physical or virtual
 * @param speedBitsPerSecond 0 if unknown
 * @param mtuBytes 0 if unknown
 * @param node its NUMA node; -1 if unknown, or if there is only one
 * @param pci null if there is no PCI link or the host does not show it
 * @param settings null if they cannot be read
 * @param counters bytes, packets and drops, by file name
 */
public record Nic(
        String name,
        String driver,
        boolean hardware,
        boolean up,
        long speedBitsPerSecond,
        int mtuBytes,
        int node,
        List<NicQueue> rxQueues,
        List<NicQueue> txQueues,
        List<Interrupt> interrupts,
        @Nullable PciLink pci,
        @Nullable NicSettings settings,
        SortedMap<String, Long> counters) {
    public Nic {
        rxQueues = List.copyOf(rxQueues);
        txQueues = List.copyOf(txQueues);
        interrupts = List.copyOf(interrupts);
        counters = new TreeMap<>(counters);
    }

    /** Returns the interrupts for received and sent packets, ordered by queue. */
    public List<Interrupt> queueInterrupts() {
        return interrupts.stream()
                .filter(interrupt -> interrupt.serves() != Interrupt.Serves.CONTROL)
                .toList();
    }
}
