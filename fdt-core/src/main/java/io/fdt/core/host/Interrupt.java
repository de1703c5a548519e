package io.fdt.core.host;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One interrupt of a NIC.
 *
 * @param name as {@code /proc/interrupts} has it
 * @param queue the index of the queue that it serves; -1 when it serves none
 * @param counts how often each core took it since the start; cores that never did are left out
 * @param affinity where it may go; null when the host does not say
 * @param effective where it goes; empty when the host does not say
 */
public record Interrupt(
        int number,
        String name,
        Serves serves,
        int queue,
        SortedMap<Integer, Long> counts,
        @Nullable CoreMask affinity,
        CoreSet effective) {
    /** What an interrupt is for. */
    public enum Serves {
        RX,
        TX,
        RX_AND_TX,
        /** Events of the device, no packets. */
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

    /** The core that takes it: by its settings if these leave one, else the one that took it most; -1 when unknown. */
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
