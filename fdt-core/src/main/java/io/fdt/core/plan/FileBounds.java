package io.fdt.core.plan;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which files of a selection are taken, by size and time; both sizes are included. Directories and links are taken
 * whatever this says.
 *
 * @param newerThan only files that were modified later; null for all
 */
public record FileBounds(
        long minBytes, long maxBytes, @Nullable Instant newerThan) {
    public static final FileBounds NONE = new FileBounds(0, Long.MAX_VALUE, null);

    public boolean admitsAll() {
        return minBytes == 0 && maxBytes == Long.MAX_VALUE && newerThan == null;
    }

    public boolean admit(long sizeBytes, long modifiedSeconds, int modifiedNanos) {
        Instant than = newerThan;
        boolean newer = than == null
                || modifiedSeconds > than.getEpochSecond()
                || (modifiedSeconds == than.getEpochSecond() && modifiedNanos > than.getNano());
        return newer && sizeBytes >= minBytes && sizeBytes <= maxBytes;
    }
}
