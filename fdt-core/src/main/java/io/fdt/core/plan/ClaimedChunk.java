package io.fdt.core.plan;

/** A {@link Chunk} that {@link ChunkQueue#claim} fills in. Each lane reuses one, so claiming allocates nothing. */
public final class ClaimedChunk {
    private long number;
    private int fileId;
    private long offset;
    private int lengthBytes;
    private int attempt;

    void set(long claimNumber, int ofFileId, long atOffset, int ofLengthBytes, int ofAttempt) {
        number = claimNumber;
        fileId = ofFileId;
        offset = atOffset;
        lengthBytes = ofLengthBytes;
        attempt = ofAttempt;
    }

    /** Distinguishes this claim from an earlier or later one of the same chunk; 0 before the first claim. */
    long number() {
        return number;
    }

    public int fileId() {
        return fileId;
    }

    public long offset() {
        return offset;
    }

    /** 0 only for a stream whose length is not known before it is read. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** 0 for the first sending, then one more each time. */
    public int attempt() {
        return attempt;
    }
}
