package io.fdt.core.plan;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Bounds on the size (inclusive) and time of the selected files. They do not apply to directories and links.
 *
 * @param newerThan only files modified after this; null for all
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
