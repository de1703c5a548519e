package io.fdt.core.host;

/**
 * One core as the kernel counts them: a hardware thread.
 *
 * @param node its NUMA node; 0 where the host has none
 * @param socket -1 when unknown
 * @param siblings the hardware threads of the same physical core, itself included
 * @param sharesLastCache the cores behind the same last cache, itself included
 * @param governor how its frequency is chosen; empty when the host does not say
 */
public record Core(int id, int node, int socket, CoreSet siblings, CoreSet sharesLastCache, String governor) {}
