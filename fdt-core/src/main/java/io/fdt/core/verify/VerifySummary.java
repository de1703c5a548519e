package io.fdt.core.verify;

import io.fdt.core.failure.Failure;
import io.fdt.core.run.JobEnd;
import org.jspecify.annotations.Nullable;

/**
 * The result of a verification. Immutable.
 *
 * @param failure null if everything is the same; INTEGRITY if anything differs; SOURCE if something could not be
 *     compared; otherwise what ended it early
 * @param files that were examined in the tree (of two: in the first)
 * @param digest of that tree, with its label; null if a part could not be read, or no contents were read
 */
public record VerifySummary(
        @Nullable Failure failure,
        long files,
        long bytes,
        Differences differences,
        long elapsedNanos,
        @Nullable String digest)
        implements JobEnd {

    /** @param unverified what could not be compared: what cannot be read, and what the receipt does not contain */
    public record Differences(long differing, long missing, long extra, long unreadable, long unverified) {
        public static final Differences NONE = new Differences(0, 0, 0, 0, 0);
    }
}
