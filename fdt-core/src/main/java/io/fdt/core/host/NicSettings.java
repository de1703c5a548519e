package io.fdt.core.host;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Settings that a driver only reports by a system call: rings and offloads.
 *
 * @param rxRing descriptors; 0 if unknown
 * @param offloads whether each is enabled, by its ethtool name
 */
public record NicSettings(int rxRing, int rxRingMax, int txRing, int txRingMax, SortedMap<String, Boolean> offloads) {
    public NicSettings {
        offloads = new TreeMap<>(offloads);
    }
}
