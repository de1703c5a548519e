package io.fdt.core.storage;

/**
 * The data of one entry at the sender. Thread-safe: several lanes read one file. The owner closes it after all lanes
 * have stopped reading. Failures are transfer exceptions of kind SOURCE.
 */
public interface SourceFile extends AutoCloseable {
    /** Reads into memory at the address; returns fewer bytes than requested only at the end of the file. */
    int read(long address, int lengthBytes, long offset);

    /**
     * Returns which leaves contain data: bit i for the leaf that begins at {@code offset + i * leafBytes}. A leaf
     * without its bit is a hole and reads as zeros. All bits are set if holes are unknown.
     *
     * @param leaves at most 64
     */
    default long presentLeaves(long offset, int leaves, int leafBytes) {
        return allLeaves(leaves);
    }

    /**
     * Whether the file still has the size and times that it had when it was opened; throws if that cannot be
     * determined.
     */
    default boolean unchanged() {
        return true;
    }

    /**
     * Makes later reads bypass the page cache. They must go to a {@link ReadBuffer}, from its start, and at multiples
     * of {@link ReadBuffer#ALIGN_BYTES}. Must be called before the first read.
     *
     * @return false if the file system does not support such reads: in that case, the cached pages of the file are
     *     dropped once
     */
    default boolean bypassCache() {
        return true;
    }

    @Override
    void close();

    /** The result of {@link #presentLeaves} for data without holes. */
    static long allLeaves(int leaves) {
        return leaves >= Long.SIZE ? -1L : (1L << leaves) - 1;
    }
}
