package io.fdt.core.transfer.receiving;

/**
 * The right of one lane to write one chunk. When the chunk is resent, the newer attempt revokes this right: late bytes
 * of the older one are not written. Thread-safe; a thread that writes a leaf holds the monitor meanwhile.
 */
final class WriteGrant {
    final long offset;
    final int lengthBytes;
    final int attempt;
    private boolean revoked;

    WriteGrant(long offset, int lengthBytes, int attempt) {
        this.offset = offset;
        this.lengthBytes = lengthBytes;
        this.attempt = attempt;
    }

    boolean overlaps(WriteGrant other) {
        return offset < other.offset + other.lengthBytes && other.offset < offset + lengthBytes;
    }

    /** Call it while holding this object's monitor, and hold that until the write is done. */
    synchronized boolean isRevoked() {
        return revoked;
    }

    /** Returns once no write with this right is in progress. */
    synchronized void revoke() {
        revoked = true;
    }
}
