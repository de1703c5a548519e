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
    private final int[] newestAttempt;

    public LaneAdmission(Secret sessionSecret, byte[] sessionId, int maxLanes) {
        this.sessionSecret = sessionSecret;
        this.sessionId = sessionId.clone();
        this.newestAttempt = new int[maxLanes];
        Arrays.fill(newestAttempt, -1);
    }

    /** Whether this lane may join: the proof is right and this attempt, counted from 0, is new. */
    public boolean admit(int laneIndex, int attempt, byte[] proof) {
        if (laneIndex < 0 || laneIndex >= newestAttempt.length || attempt < 0) {
            return false;
        }
        byte[] expected = SessionProof.ofLane(sessionSecret, sessionId, laneIndex, attempt);
        if (!MessageDigest.isEqual(expected, proof)) {
            return false;
        }
        synchronized (newestAttempt) {
            if (attempt <= newestAttempt[laneIndex]) {
                return false;
            }
            newestAttempt[laneIndex] = attempt;
            return true;
        }
    }

    /** Whether no later attempt of this lane has been let in. */
    public boolean isNewest(int laneIndex, int attempt) {
        synchronized (newestAttempt) {
            return newestAttempt[laneIndex] == attempt;
        }
    }

    @Override
    public String toString() {
        synchronized (newestAttempt) {
            return "admission " + Arrays.toString(newestAttempt);
        }
    }
}
