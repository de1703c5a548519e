package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;

/**
 * One thing of a shard.
 *
 * @param implied a directory that belongs to another shard, and that this one needs for what is below it
 */
public record PlannedEntry(FileEntry entry, boolean implied) {
    /** How much of it this shard moves. */
    public long bytes() {
        return entry.kind() == Kind.FILE && !isJoined() ? entry.sizeBytes() : 0;
    }

    /** Whether a file is put together here of ranges that others moved. */
    boolean isJoined() {
        return entry.range() != null && entry.range().isAll();
    }

    boolean isFile() {
        return entry.kind() == Kind.FILE;
    }
}
