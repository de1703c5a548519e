package io.fdt.core.plan;

/**
 * What is to be removed of the files that unfinished copies left.
 *
 * @param olderSeconds since their last change, at least
 * @param dryRun nothing is removed, and everything told as if it were
 */
public record Cleaning(long olderSeconds, boolean dryRun) {}
