package io.fdt.core.host;

/**
 * A cache of the processor.
 *
 * @param type Data, Instruction or Unified
 * @param cores that share it
 */
public record Cache(int level, String type, long sizeBytes, CoreSet cores) {}
