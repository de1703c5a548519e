package io.fdt.core.host;

/**
 * A core as the kernel counts them: a hardware thread.
 *
 * @param node its NUMA node; 0 if the host has none
 * @param socket -1 if unknown
 * @param siblings the hardware threads of the same physical core, including itself
 * @param sharesLastCache the cores that share its last-level cache, including itself
 * @param governor the cpufreq governor; empty if the host does not show it
 */
public record Core(int id, int node, int socket, CoreSet siblings, CoreSet sharesLastCache, String governor) {}
