package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;

/**
 * An entry of a shard.
 *
 * @param implied a directory of another shard that this one needs for the entries below it
 */
public record PlannedEntry(FileEntry entry, boolean implied) {
    /** How much of it this shard copies. */
    public long bytes() {
        return entry.kind() == Kind.FILE && !isJoined() ? entry.sizeBytes() : 0;
    }

    /** Whether a file is assembled here from ranges that others copied. */
    boolean isJoined() {
        return entry.range() != null && entry.range().isAll();
    }

    boolean isFile() {
        return entry.kind() == Kind.FILE;
    }
}
