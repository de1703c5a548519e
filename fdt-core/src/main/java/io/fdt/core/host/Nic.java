package io.fdt.core.host;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A network interface.
 *
 * @param driver empty when it has none
 * @param hardware whether there is a device behind it, real or of a virtual machine
 * @param speedBitsPerSecond 0 where it has none or does not tell
 * @param mtuBytes 0 when unknown
 * @param node its NUMA node; -1 when unknown, or where there is one only
 * @param pci null where there is no such link or the host does not show it
 * @param settings null where they cannot be asked for
 * @param counters by the name of the file: bytes, packets, drops
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

    /** The interrupts that bring packets or say that packets left, in the order of their queues. */
    public List<Interrupt> queueInterrupts() {
        return interrupts.stream()
                .filter(interrupt -> interrupt.serves() != Interrupt.Serves.CONTROL)
                .toList();
    }
}
