package io.fdt.core.verify;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.Word;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether two entries are the same. What one of them does not know is not compared: an empty digest, a null
 * link target, a negative size, or unknown metadata. Immutable.
 */
record EntryRules(boolean metadata, boolean ofTrees) {
    static EntryRules ofTrees(boolean metadata) {
        return new EntryRules(metadata, true);
    }

    /** A receipt contains no ACLs. */
    static EntryRules ofReceipt(boolean metadata) {
        return new EntryRules(metadata, false);
    }

    /** The differences as text; null if there are none. The entries of both must be known. */
    @Nullable String difference(CheckedEntry expected, CheckedEntry found) {
        FileEntry left = Objects.requireNonNull(expected.entry());
        FileEntry right = Objects.requireNonNull(found.entry());
        if (left.kind() != right.kind()) {
            return word(left) + " and " + word(right);
        }
        List<String> differences = new ArrayList<>();
        if (left.sizeBytes() >= 0 && left.sizeBytes() != right.sizeBytes()) {
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
        if (metadata && left.metadata().isKnown() && right.metadata().isKnown()) {
            addMetadata(differences, left, right);
        }
        return differences.isEmpty() ? null : String.join(", ", differences);
    }

    private static String word(FileEntry entry) {
        return entry.kind() == FileEntry.Kind.STREAM ? "device, pipe or socket" : Word.of(entry.kind());
    }

    private static boolean differs(byte[] left, byte[] right) {
        return left.length > 0 && right.length > 0 && !Arrays.equals(left, right);
    }

    /**
     * Links have no mode of their own. A copy preserves setuid, setgid and sticky only with the owner, so they are not
     * compared with a receipt, nor between entries of different owners.
     */
    private void addMetadata(List<String> differences, FileEntry left, FileEntry right) {
        boolean sameOwner = ofTrees && left.uid() == right.uid() && left.gid() == right.gid();
        int modeMask = sameOwner ? 07777 : 0777;
        if (left.kind() != FileEntry.Kind.LINK && ((left.mode() ^ right.mode()) & modeMask) != 0) {
            differences.add(Figures.text("mode %04o and %04o", left.mode() & modeMask, right.mode() & modeMask));
        }
        if (left.modifiedSeconds() != right.modifiedSeconds() || left.modifiedNanos() != right.modifiedNanos()) {
            differences.add("time");
        }
        if (ofTrees && !(hasAclsOf(left, right) && hasAclsOf(right, left))) {
            differences.add("ACL");
        }
    }

    /** A walk for a comparison reads no other attributes than ACLs and the mark of what was not flushed. */
    private static boolean hasAclsOf(FileEntry entry, FileEntry other) {
        return other.attributes().stream()
                .filter(each -> !each.name().equals(FileEntry.Attribute.UNFLUSHED))
                .allMatch(each -> entry.attributes().stream().anyMatch(each::isSame));
    }
}
