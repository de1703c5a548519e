package io.fdt.core.host;

/**
 * A running lane of any fdt process on this host.
 *
 * @param core that it last ran on; -1 if unknown
 * @param allowed the cores that it may run on
 */
public record LaneThread(int pid, String name, int core, CoreSet allowed) {}
