package io.fdt.core.plan;

/**
 * A range of one file that is moved, hashed, acknowledged and resumed as a unit. It is a node of the file's hash tree:
 * a power of two in size and aligned to its size, or cut off by the end of the file.
 *
 * @param fileId the entry's number in its session
 * @param lengthBytes 0 only for a stream whose length is not known before it is read
 * @param attempt 0 for the first sending, then one more each time; distinguishes a late duplicate from its replacement
 * @param losses how often its lane was lost before it was acknowledged
 * @param damages how often it arrived and did not verify
 */
public record Chunk(int fileId, long offset, int lengthBytes, int attempt, int losses, int damages) {
    /** A placeholder before the first chunk. */
    public static final Chunk NONE = new Chunk(0, 0, 0);

    /** A chunk that has not been sent yet. */
    Chunk(int fileId, long offset, int lengthBytes) {
        this(fileId, offset, lengthBytes, 0, 0, 0);
    }

    Chunk afterLoss() {
        return new Chunk(fileId, offset, lengthBytes, attempt + 1, losses + 1, damages);
    }

    Chunk afterDamage() {
        return new Chunk(fileId, offset, lengthBytes, attempt + 1, losses, damages + 1);
    }

    Chunk piece(long pieceOffset, int pieceBytes) {
        return new Chunk(fileId, pieceOffset, pieceBytes, attempt, losses, damages);
    }

    long end() {
        return offset + lengthBytes;
    }
}
