package io.fdt.core.plan;

/**
 * Says of an entry that it is one range of a large file, moved by itself as if it were a file whose first byte stands
 * at {@code offset}; or, with {@link #ALL}, that the file is put together of its ranges. All ranges of a file have one
 * length, a power of two, but for the last one: so each is a node of the file's hash tree, none can overlap another,
 * and which there are follows from two numbers that every entry of the file has.
 *
 * @param offset of the range in the file, a multiple of {@code rangeBytes}; {@link #ALL} for all of them
 * @param fileBytes the size of the file
 * @param rangeBytes the length of every range but the last
 */
public record FileRange(long offset, long fileBytes, long rangeBytes) {
    /** Instead of an offset: the whole file, all ranges of which have been moved. */
    public static final long ALL = -1;

    /** No less than the largest chunk, so that chunks of a range are chunks of the file. */
    public static final long MIN_BYTES = 8L << 20;

    /** Whoever puts a file together looks for each of them. */
    public static final int MAX_COUNT = 1 << 16;

    public FileRange {
        if (!isPossible(offset, fileBytes, rangeBytes)) {
            throw new IllegalArgumentException(
                    "no range of " + fileBytes + " bytes: " + rangeBytes + " at offset " + offset);
        }
    }

    /** Whether a file of this size can have such a range: what comes from a peer or a file is asked first. */
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

    /** How many bytes an entry with this range has. */
    public long lengthBytes() {
        return isAll() ? fileBytes : Math.min(rangeBytes, fileBytes - offset);
    }

    public int count() {
        return (int) ((fileBytes - 1) / rangeBytes) + 1;
    }

    /** From 0; not of all. */
    public int index() {
        return (int) (offset / rangeBytes);
    }

    /** Another range of the same file. */
    public FileRange at(int index) {
        return new FileRange(index * rangeBytes, fileBytes, rangeBytes);
    }

    public FileRange all() {
        return new FileRange(ALL, fileBytes, rangeBytes);
    }
}
