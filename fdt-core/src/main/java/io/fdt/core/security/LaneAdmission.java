package io.fdt.core.security;

import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Admission of a session's lanes at the server: admits each attempt of a lane once. A lane that reconnects uses a
 * higher attempt, and repeated or lower attempts are refused, so a proof that was recorded from an unencrypted lane is
 * useless. Thread-safe.
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

    /** Whether this lane may join: its proof is correct and this attempt, counted from 0, is new. */
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

    /** Whether no later attempt of this lane has been admitted. */
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
