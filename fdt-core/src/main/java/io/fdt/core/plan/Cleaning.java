package io.fdt.core.plan;

/**
 * Which files of unfinished copies to remove.
 *
 * @param olderSeconds the minimum time since their last change
 * @param dryRun remove nothing, but report the same
 */
public record Cleaning(long olderSeconds, boolean dryRun) {}
