package io.fdt.core.stats;

/**
 * The hardware and software that a result was measured with, for its caption.
 *
 * @param software the version of fdt
 * @param allowedCores on which the process may run
 * @param nicBitsPerSecond the speed of the NIC; 0 if it has none or does not report it
 * @param slot a formula for the bandwidth of its PCIe slots; empty if unknown
 * @param slotBitsPerSecond the usable bandwidth of these slots together; 0 if unknown
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
