package io.fdt.core.host;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An interrupt of a NIC.
 *
 * @param name as in {@code /proc/interrupts}
 * @param queue the index of the queue that it serves; -1 if it serves none
 * @param counts interrupts handled by each core since boot, without cores that handled none
 * @param affinity the cores that may handle it; null if the host does not show them
 * @param effective the cores that handle it; empty if the host does not show them
 */
public record Interrupt(
        int number,
        String name,
        Serves serves,
        int queue,
        SortedMap<Integer, Long> counts,
        @Nullable CoreMask affinity,
        CoreSet effective) {
    /** The purpose of an interrupt. */
    public enum Serves {
        RX,
        TX,
        RX_AND_TX,
        /** Events of the device, not packets. */
        CONTROL
    }

    public Interrupt {
        counts = new TreeMap<>(counts);
    }

    public boolean receives() {
        return serves == Serves.RX || serves == Serves.RX_AND_TX;
    }

    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Returns the core that handles it: the configured one if there is only one, else the one that has handled most; -1
     * if unknown.
     */
    public int core() {
        if (effective.size() == 1) {
            return effective.first();
        }
        CoreMask allowed = affinity;
        if (allowed != null && allowed.cores().size() == 1) {
            return allowed.cores().first();
        }
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(effective.isEmpty() ? -1 : effective.first());
    }
}
