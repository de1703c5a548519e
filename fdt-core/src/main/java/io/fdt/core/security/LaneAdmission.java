package io.fdt.core.security;

import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The server's side of lane admission, one a session: lets each lane in once an attempt. A lane that reconnects comes
 * with a higher attempt; whatever repeats or falls behind is refused, so a proof that was overheard on a clear lane is
 * worth nothing. Any thread.
 */
public final class LaneAdmission {
    private final Secret sessionSecret;
    private final byte[] sessionId;
    private final int[] nextAttempt;

    public LaneAdmission(Secret sessionSecret, byte[] sessionId, int maxLanes) {
        this.sessionSecret = sessionSecret;
        this.sessionId = sessionId.clone();
        this.nextAttempt = new int[maxLanes];
    }

    /** Whether this lane may join: the proof is right and this attempt, counted from 0, is new. */
    public boolean admit(int laneIndex, int attempt, byte[] proof) {
        if (laneIndex < 0 || laneIndex >= nextAttempt.length || attempt < 0 || attempt == Integer.MAX_VALUE) {
            return false;
        }
        byte[] expected = SessionProof.ofLane(sessionSecret, sessionId, laneIndex, attempt);
        if (!MessageDigest.isEqual(expected, proof)) {
            return false;
        }
        synchronized (nextAttempt) {
            if (attempt < nextAttempt[laneIndex]) {
                return false;
            }
            nextAttempt[laneIndex] = attempt + 1;
            return true;
        }
    }

    @Override
    public String toString() {
        synchronized (nextAttempt) {
            return "admission " + Arrays.toString(nextAttempt);
        }
    }
}
