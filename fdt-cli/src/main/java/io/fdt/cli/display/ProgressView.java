package io.fdt.cli.display;

import io.fdt.core.stats.Progress;

/**
 * Progress with the values derived from it.
 *
 * @param bitsPerSecond over the last seconds, never negative
 * @param etaSeconds -1 if unknown
 */
public record ProgressView(Progress progress, double bitsPerSecond, long etaSeconds) {
    static final long UNKNOWN = -1;

    private static final long MAX_ETA_SECONDS = 99L * 86_400;

    public static ProgressView of(Progress progress, double bitsPerSecond) {
        double known = Double.isFinite(bitsPerSecond) ? bitsPerSecond : 0;
        return new ProgressView(progress, known, etaSeconds(progress, known));
    }

    private static long etaSeconds(Progress progress, double bitsPerSecond) {
        if (!progress.totalsFinal() || progress.bytes().total() < 0) {
            return UNKNOWN;
        }
        long left = progress.bytes().total() - progress.bytes().shown();
        if (left <= 0) {
            return 0;
        }
        double seconds = Math.ceil(left * 8.0 / bitsPerSecond);
        return seconds >= 0 && seconds <= MAX_ETA_SECONDS ? (long) seconds : UNKNOWN;
    }

    /**
     * Returns the completed share from 0 to 1, and 1 only if everything is complete; negative if the total is unknown.
     */
    double share() {
        if (progress.bytes().total() < 0) {
            return -1;
        }
        if (progress.bytes().total() == 0) {
            return progress.totalsFinal() ? 1 : 0;
        }
        if (progress.bytes().shown() >= progress.bytes().total()) {
            return 1;
        }
        return Math.max(
                0,
                Math.min(
                        0.99,
                        (double) progress.bytes().shown() / progress.bytes().total()));
    }
}
