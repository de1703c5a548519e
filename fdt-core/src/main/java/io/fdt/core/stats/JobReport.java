package io.fdt.core.stats;

import org.jspecify.annotations.Nullable;

/**
 * A copy that outlives the client that requested it, as its server reports it. Texts are for display.
 *
 * @param ageNanos since it started
 * @param progress with the time since it started, or that it took
 * @param end null while it runs
 */
public record JobReport(
        String id,
        String from,
        String to,
        long ageNanos,
        Progress progress,
        @Nullable Summary end) {}
