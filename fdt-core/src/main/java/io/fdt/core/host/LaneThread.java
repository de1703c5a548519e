package io.fdt.core.host;

/**
 * A running lane of any fdt on this host.
 *
 * @param core the one that it ran on last; -1 when unknown
 * @param allowed those that it may run on
 */
public record LaneThread(int pid, int thread, String name, int core, CoreSet allowed) {}
