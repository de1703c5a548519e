package io.fdt.core.storage;

/**
 * A range of a file that is durable in its partial, with its digest and the checksums beside it (0 to 44 bytes,
 * depending on the session's hash).
 */
public record ChunkRecord(long offset, long lengthBytes, byte[] digest) {
    public long end() {
        return offset + lengthBytes;
    }
}
