package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.JobEnd;
import org.jspecify.annotations.Nullable;

/**
 * How a network test ended.
 *
 * @param failure null when it came to its end and both sides agree
 * @param result what was measured, up to the failure where there was one; null when nothing was
 */
public record NettestOutcome(
        @Nullable FailureKind failure,
        @Nullable String message,
        @Nullable NettestResult result,
        long elapsedNanos,
        String session)
        implements JobEnd {}
