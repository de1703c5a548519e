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
        return entry.kind() == Kind.FILE ? entry.sizeBytes() : 0;
    }

    boolean isFile() {
        return entry.kind() == Kind.FILE;
    }
}
