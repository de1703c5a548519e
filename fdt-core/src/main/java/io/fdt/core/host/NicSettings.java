package io.fdt.core.host;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Settings that the kernel only reports by a system call.
 *
 * @param offloads whether each is enabled, by its ethtool name; those that the NIC does not have may be absent
 * @param packetBytes the largest packets that the stack handles at a time, by their names in {@code ip link}
 */
public record NicSettings(Rings rings, SortedMap<String, Boolean> offloads, SortedMap<String, Long> packetBytes) {
    public NicSettings {
        offloads = new TreeMap<>(offloads);
        packetBytes = new TreeMap<>(packetBytes);
    }

    /** Descriptors; 0 if unknown. */
    public record Rings(int rx, int rxMax, int tx, int txMax) {
        static final Rings UNKNOWN = new Rings(0, 0, 0, 0);
    }
}
