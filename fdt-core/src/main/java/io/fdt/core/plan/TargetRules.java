package io.fdt.core.plan;

import io.fdt.core.basic.Word;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the receiver does with existing files, and which metadata of the source it preserves.
 *
 * @param mirror null if nothing is deleted
 */
public record TargetRules(
        Existing existing,
        Comparison comparison,
        Writing writing,
        boolean resume,
        Set<Preserve> preserve,
        Set<Keep> keeps,
        @Nullable Mirror mirror) {

    public TargetRules {
        preserve = Set.copyOf(preserve);
        keeps = Set.copyOf(keeps);
    }

    /** What stays, whatever {@link Existing} says. */
    public enum Keep {
        /** A file that was modified later than the source. */
        NEWER,
        /** A link to a directory where the source has a directory, if root or the receiver's own user made it. */
        DIRECTORY_LINKS
    }

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
        SIZE
    }

    /** How data gets onto the device. */
    public record Writing(Durability durability, DirectIo directIo) {}

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

    public TargetRules with(Existing other) {
        return new TargetRules(other, comparison, writing, resume, preserve, keeps, mirror);
    }

    public TargetRules without(Preserve what) {
        Set<Preserve> rest = preserve.stream().filter(each -> each != what).collect(Collectors.toUnmodifiableSet());
        return new TargetRules(existing, comparison, writing, resume, rest, keeps, mirror);
    }

    public boolean keepsNewer() {
        return keeps.contains(Keep.NEWER);
    }

    public boolean keepsDirectoryLinks() {
        return keeps.contains(Keep.DIRECTORY_LINKS);
    }

    public boolean compareDigest() {
        return comparison == Comparison.DIGEST;
    }

    public boolean preserves(Preserve what) {
        return preserve.contains(what);
    }
}
