package io.fdt.core.verify;

import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When two entries are the same. What one of them does not know is not compared: an empty digest, the link target null,
 * the size, the mode or the nanoseconds {@link #UNKNOWN}. Immutable.
 */
final class EntryRules {
    static final int UNKNOWN = -1;

    private final boolean metadata;
    private final int modeMask;

    private EntryRules(boolean metadata, int modeMask) {
        this.metadata = metadata;
        this.modeMask = modeMask;
    }

    /** Of two trees the modes are compared in full. */
    static EntryRules ofTrees(boolean metadata) {
        return new EntryRules(metadata, 07777);
    }

    /** A copy carries setuid, setgid and sticky only with the owner, so a receipt does not vouch for them. */
    static EntryRules ofReceipt(boolean metadata) {
        return new EntryRules(metadata, 0777);
    }

    /** What differs, in words; null when nothing does. The entries of both must be known. */
    @Nullable String difference(CheckedEntry expected, CheckedEntry found) {
        FileEntry left = Objects.requireNonNull(expected.entry());
        FileEntry right = Objects.requireNonNull(found.entry());
        if (left.kind() != right.kind()) {
            return word(left) + " and " + word(right);
        }
        List<String> differences = new ArrayList<>();
        if (left.sizeBytes() != UNKNOWN && left.sizeBytes() != right.sizeBytes()) {
            differences.add("size " + left.sizeBytes() + " and " + right.sizeBytes());
        } else if (differs(expected.digest(), found.digest())) {
            differences.add("content");
        }
        if (left.linkTarget() != null
                && right.linkTarget() != null
                && !left.linkTarget().equals(right.linkTarget())) {
            differences.add("link to " + left.linkTarget().display() + " and to "
                    + right.linkTarget().display());
        }
        if (metadata) {
            addMetadata(differences, left, right);
        }
        return differences.isEmpty() ? null : String.join(", ", differences);
    }

    private static String word(FileEntry entry) {
        return entry.kind() == FileEntry.Kind.STREAM
                ? "device, pipe or socket"
                : entry.kind().name().toLowerCase(Locale.ROOT);
    }

    private static boolean differs(byte[] left, byte[] right) {
        return left.length > 0 && right.length > 0 && !java.util.Arrays.equals(left, right);
    }

    /** Links have no mode of their own. */
    private void addMetadata(List<String> differences, FileEntry left, FileEntry right) {
        boolean modesKnown = left.mode() != UNKNOWN && right.mode() != UNKNOWN;
        if (modesKnown && left.kind() != FileEntry.Kind.LINK && ((left.mode() ^ right.mode()) & modeMask) != 0) {
            differences.add(
                    String.format(Locale.ROOT, "mode %04o and %04o", left.mode() & modeMask, right.mode() & modeMask));
        }
        boolean timesKnown = left.modifiedNanos() != UNKNOWN && right.modifiedNanos() != UNKNOWN;
        if (timesKnown
                && (left.modifiedSeconds() != right.modifiedSeconds()
                        || left.modifiedNanos() != right.modifiedNanos())) {
            differences.add("time");
        }
    }
}
