package io.fdt.core.host;

/** A NUMA node with its cores. */
public record NumaNode(int id, CoreSet cores) {}
