package io.fdt.core.host;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Settings that a driver reports only through a call: rings and offloads.
 *
 * @param rxRing descriptors; 0 when unknown
 * @param offloads by the name that ethtool has for each, whether it is on
 */
public record NicSettings(int rxRing, int rxRingMax, int txRing, int txRingMax, SortedMap<String, Boolean> offloads) {
    public NicSettings {
        offloads = new TreeMap<>(offloads);
    }
}
