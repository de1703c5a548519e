package io.fdt.core.verify;

import io.fdt.core.FailureKind;
import io.fdt.core.JobEnd;
import org.jspecify.annotations.Nullable;

/**
 * How a verification ended. Immutable.
 *
 * @param failure null when everything is the same; INTEGRITY when anything differs; SOURCE when something could not be
 *     compared; otherwise what ended it early
 * @param files of the tree (of two: the first) that were looked at
 * @param unverified what could not be compared: the unreadable, and what the receipt does not know
 * @param digest of that tree, with its label; null where not all of it could be read, or no contents were
 */
public record VerifySummary(
        @Nullable FailureKind failure,
        @Nullable String message,
        long files,
        long bytes,
        long differing,
        long missing,
        long extra,
        long unreadable,
        long unverified,
        long elapsedNanos,
        @Nullable String digest)
        implements JobEnd {}
