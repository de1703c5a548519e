package io.fdt.core.nettest;

import io.fdt.core.failure.Failure;
import io.fdt.core.run.JobEnd;
import org.jspecify.annotations.Nullable;

/**
 * The result of a network test.
 *
 * @param failure null if it was completed and both sides agree
 * @param result what was measured, up to the failure if there was one; null if nothing was
 */
public record NettestOutcome(
        @Nullable Failure failure, @Nullable NettestResult result, long elapsedNanos, String session)
        implements JobEnd {}
