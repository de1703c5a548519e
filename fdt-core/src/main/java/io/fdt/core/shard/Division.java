package io.fdt.core.shard;

/**
 * How a job is divided.
 *
 * @param costs by which shards are balanced
 * @param split the size above which a file goes to several shards
 */
public record Division(int shards, Costs costs, SplitAbove split) {}
