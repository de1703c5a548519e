package io.fdt.core.transfer.receiving;

/**
 * The right of one lane to write one chunk. When the chunk is sent again, by another lane or the same, the newer
 * attempt takes the right away: bytes of the older one that come late are not written. Thread-safe; whoever writes a
 * leaf holds the monitor meanwhile.
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

    /** To be asked under this object's monitor, which is then held over the write. */
    synchronized boolean isRevoked() {
        return revoked;
    }

    /** Returns once no write under this right is under way. */
    synchronized void revoke() {
        revoked = true;
    }
}
