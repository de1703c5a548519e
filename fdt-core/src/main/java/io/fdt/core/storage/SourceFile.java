package io.fdt.core.storage;

/**
 * The data of one entry at the sender. Thread-safe: several lanes read one file. Whoever opened it closes it, when no
 * lane reads any more. Failures are transfer exceptions of kind SOURCE.
 */
public interface SourceFile extends AutoCloseable {
    /** Reads into memory at the address; fewer bytes than asked for only at the end of the file. */
    int read(long address, int lengthBytes, long offset);

    /**
     * Which leaves hold data: bit i for the leaf that begins at {@code offset + i * leafBytes}. A leaf without its bit
     * is a hole and reads as zeros. All ones where holes are unknown.
     *
     * @param leaves at most 64
     */
    default long presentLeaves(long offset, int leaves, int leafBytes) {
        return allLeaves(leaves);
    }

    /** Whether the file is still, by size and times, what it was when it was opened; throws when nobody can tell. */
    default boolean unchanged() {
        return true;
    }

    /**
     * From now on reads are answered by the device and not by the page cache. They must go to a {@link ReadBuffer},
     * from its start, and at multiples of {@link ReadBuffer#ALIGN_BYTES}. Called before the first read.
     *
     * @return false where the file system has no such reads: then what was cached of the file is dropped, this once
     */
    default boolean bypassCache() {
        return true;
    }

    @Override
    void close();

    /** The answer of {@link #presentLeaves} for data without holes. */
    static long allLeaves(int leaves) {
        return leaves >= Long.SIZE ? -1L : (1L << leaves) - 1;
    }
}
