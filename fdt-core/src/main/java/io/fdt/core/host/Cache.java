package io.fdt.core.host;

/**
 * A cache of the processor.
 *
 * @param cores that share it
 */
public record Cache(int level, CoreSet cores) {}
