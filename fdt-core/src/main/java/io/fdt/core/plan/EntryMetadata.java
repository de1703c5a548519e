package io.fdt.core.plan;

import io.fdt.core.plan.FileEntry.Attribute;
import java.util.List;

/**
 * What a copy can preserve of an entry besides its content and its links.
 *
 * @param mode permission bits, with setuid, setgid and sticky (07777)
 * @param attributes among them ACLs
 */
public record EntryMetadata(
        int mode, long modifiedSeconds, int modifiedNanos, int uid, int gid, List<Attribute> attributes) {
    /** For entries that were not examined, in a list of names or of hashes. */
    public static final EntryMetadata UNKNOWN = new EntryMetadata(-1, 0, -1, 0, 0, List.of());

    public static EntryMetadata ofMode(int mode) {
        return new EntryMetadata(mode, 0, 0, 0, 0, List.of());
    }

    public boolean isKnown() {
        return mode >= 0;
    }

    public EntryMetadata withMode(int newMode) {
        return new EntryMetadata(newMode, modifiedSeconds, modifiedNanos, uid, gid, attributes);
    }

    public EntryMetadata withoutAttributes() {
        return new EntryMetadata(mode, modifiedSeconds, modifiedNanos, uid, gid, List.of());
    }
}
