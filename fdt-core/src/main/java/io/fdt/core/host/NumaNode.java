package io.fdt.core.host;

/** A part of the memory and the cores that are near it. */
public record NumaNode(int id, CoreSet cores) {}
