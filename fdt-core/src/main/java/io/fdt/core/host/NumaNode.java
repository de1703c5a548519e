package io.fdt.core.host;

public record NumaNode(int id, CoreSet cores) {}
