package io.fdt.core.plan;

/**
 * Marks an entry as one range of a large file, which is moved like a file that begins at {@code offset}; or, with
 * {@link #ALL}, as the file that is assembled from its ranges. All ranges of a file have the same length, a power of
 * two, except the last. So each is a node of the file's hash tree, ranges cannot overlap, and two numbers, which every
 * entry of the file has, define them all.
 *
 * @param offset of the range in the file, a multiple of {@code rangeBytes}; {@link #ALL} for all of them
 * @param rangeBytes the length of every range but the last
 */
public record FileRange(long offset, long fileBytes, long rangeBytes) {
    /** In place of an offset: the whole file, all ranges of which have been moved. */
    public static final long ALL = -1;

    /** At least the size of the largest chunk, so that chunks of a range are chunks of the file. */
    public static final long MIN_BYTES = 8L << 20;

    /** Assembling a file examines each of its ranges. */
    public static final int MAX_COUNT = 1 << 16;

    public FileRange {
        if (!isPossible(offset, fileBytes, rangeBytes)) {
            throw new IllegalArgumentException(
                    "no range of " + fileBytes + " bytes: " + rangeBytes + " at offset " + offset);
        }
    }

    /**
     * Whether a file of this size can have such a range. Values from a peer or a file must be checked with it first.
     */
    public static boolean isPossible(long offset, long fileBytes, long rangeBytes) {
        return Long.bitCount(rangeBytes) == 1
                && rangeBytes >= MIN_BYTES
                && fileBytes > rangeBytes
                && (fileBytes - 1) / rangeBytes < MAX_COUNT
                && (offset == ALL || (offset >= 0 && offset < fileBytes && offset % rangeBytes == 0));
    }

    public boolean isAll() {
        return offset == ALL;
    }

    public long lengthBytes() {
        return isAll() ? fileBytes : Math.min(rangeBytes, fileBytes - offset);
    }

    public int count() {
        return (int) ((fileBytes - 1) / rangeBytes) + 1;
    }

    /** The number of this range, from 0; not defined for {@link #ALL}. */
    public int index() {
        return (int) (offset / rangeBytes);
    }

    public FileRange at(int index) {
        return new FileRange(index * rangeBytes, fileBytes, rangeBytes);
    }

    public FileRange all() {
        return new FileRange(ALL, fileBytes, rangeBytes);
    }
}
