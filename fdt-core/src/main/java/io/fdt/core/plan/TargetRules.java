package io.fdt.core.plan;

import io.fdt.core.basic.Word;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What the receiver may do with existing files, and which metadata of the source it may preserve. */
public final class TargetRules {
    private TargetRules() {}

    /**
     * Deletes what the source does not have, below the directories that the sources map to.
     *
     * @param maxFiles if there are more files to delete, nothing is deleted
     * @param deletesExcluded also delete what the selection leaves out
     */
    public record Mirror(long maxFiles, boolean deletesExcluded) {
        public static final long UNLIMITED = Long.MAX_VALUE;
    }

    /**
     * What to do with a file that exists under the target's name. The codes of all enums here are their ordinals on the
     * wire.
     */
    public enum Existing {
        /** Keep a file that is the same by the {@link Comparison}; replace any other. */
        SKIP_SAME,
        OVERWRITE,
        SKIP,
        FAIL
    }

    /** When a file counts as the same. */
    public enum Comparison {
        /** Equal size and time. */
        TIME,
        /** Equal size and digest of the data. */
        DIGEST,
        /** Equal size, whatever the time. */
        SIZE;

        /** Whether a file that was changed in place, to the same size, counts as another one. */
        public boolean seesChanges() {
            return this != SIZE;
        }
    }

    /** When written data is flushed to the device. */
    public enum Durability {
        /**
         * In batches: a file is durable before it gets its final name, and everything when the session ends
         * successfully.
         */
        END,
        CHUNK,
        NONE
    }

    /** Which files are written past the page cache, if their file system supports it. */
    public enum DirectIo {
        /** Large files that are flushed anyway, on disks that do not rotate. */
        AUTO,
        /** All files of at least a page. */
        ALWAYS,
        NEVER
    }

    /** Metadata that can be preserved. */
    public enum Preserve {
        MODE,
        TIMES,
        LINKS,
        XATTRS,
        OWNER,
        /** ACLs, together with the mode, which is a part of them. */
        ACLS,
        /** That several names refer to one file. */
        HARDLINKS;

        /** The words of the option, in order. */
        public static List<String> words() {
            return Stream.of(values()).map(Word::of).toList();
        }

        /** The bit set for the wire and for files. */
        @SuppressWarnings("EnumOrdinal") // a test of the codec pins the order
        public static int bits(Set<Preserve> set) {
            return set.stream().mapToInt(each -> 1 << each.ordinal()).sum();
        }

        /** Ignores bits without a meaning. */
        @SuppressWarnings("EnumOrdinal") // as above
        public static Set<Preserve> ofBits(long bits) {
            Set<Preserve> set = EnumSet.allOf(Preserve.class);
            set.removeIf(each -> (bits >>> each.ordinal() & 1) == 0);
            return set;
        }
    }
}
