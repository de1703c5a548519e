package io.fdt.core.plan;

/**
 * A range of one file that is moved, hashed, acknowledged and resumed as a whole. Its extent is a node of the
 * file's hash tree: a power of two in size, at a multiple of its size, or cut off by the end of the file.
 *
 * @param fileId the entry's number in its session
 * @param attempt 0 for the first sending, one more each time; tells a late duplicate from what replaced it
 * @param lengthBytes 0 only for a stream whose length is not known before it is read
 */
public record Chunk(int fileId, long offset, int lengthBytes, int attempt) {
    public Chunk nextAttempt() {
        return new Chunk(fileId, offset, lengthBytes, attempt + 1);
    }
}
