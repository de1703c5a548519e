package io.fdt.core.stats;

/**
 * The hardware behind a figure, for the caption under it.
 *
 * @param software of fdt
 * @param allowedCores that the process may run on
 * @param nicBitsPerSecond its speed; 0 where it has none or does not tell
 * @param slot what the PCIe slots behind it carry, as arithmetic; empty when unknown
 * @param slotBitsPerSecond what they carry in practice, together; 0 when unknown
 */
public record HostFacts(
        String software,
        String host,
        String cpu,
        int cores,
        int allowedCores,
        String kernel,
        String nic,
        long nicBitsPerSecond,
        String slot,
        long slotBitsPerSecond) {}
