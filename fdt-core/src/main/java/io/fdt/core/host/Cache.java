package io.fdt.core.host;

/**
 * One cache of the processors.
 *
 * @param type Data, Instruction or Unified
 * @param cores that share it
 */
public record Cache(int level, String type, long sizeBytes, CoreSet cores) {}
