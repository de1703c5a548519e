package io.fdt.core.plan;

/**
 * What a copy requests of its session and lanes.
 *
 * @param count requested; the server may grant fewer
 * @param clear whether the lanes are unencrypted
 * @param rateBitsPerSecond the maximum rate, or 0 for none
 * @param timeoutMs how long the session survives a silent peer, and lanes that move nothing
 */
public record LaneRequest(LaneRange count, boolean clear, long rateBitsPerSecond, long timeoutMs) {
    /** Of {@code timeoutMs}. */
    public static final long MIN_TIMEOUT_MS = 100;

    LaneRequest withCount(LaneRange other) {
        return new LaneRequest(other, clear, rateBitsPerSecond, timeoutMs);
    }

    LaneRequest inClear() {
        return new LaneRequest(count, true, rateBitsPerSecond, timeoutMs);
    }
}
