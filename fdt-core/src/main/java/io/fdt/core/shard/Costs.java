package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;

/**
 * The cost of copying entries, in bytes: an entry costs its data and what could be moved while it is opened, named and
 * made durable. So a million small files and ten huge ones are both balanced.
 *
 * @param entryBytes the cost of an entry in addition to its data
 */
public record Costs(long entryBytes) {
    /** A node that moves 10 Gbit/s copies some 20,000 small files a second. */
    public static final long DEFAULT_ENTRY_BYTES = 64 << 10;

    /** No sum of costs overflows, however many entries there are. */
    public static final long MAX_ENTRY_BYTES = 1L << 40;

    public Costs {
        if (entryBytes < 0 || entryBytes > MAX_ENTRY_BYTES) {
            throw new IllegalArgumentException("a file's cost is from 0 to " + MAX_ENTRY_BYTES + ": " + entryBytes);
        }
    }

    long of(FileEntry entry) {
        return entry.sizeBytes() + entryBytes;
    }
}
