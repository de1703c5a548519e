package io.fdt.core.plan;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the receiver does with what is there already, and what it keeps of the source's metadata.
 *
 * @param keepsNewer a file that was modified later than the source stays, whatever {@code existing} says
 * @param mirror null where nothing is deleted
 */
public record TargetRules(
        Existing existing,
        boolean compareDigest,
        Durability durability,
        boolean resume,
        Set<Preserve> preserve,
        DirectIo directIo,
        boolean keepsNewer,
        @Nullable Mirror mirror) {

    public TargetRules {
        preserve = Set.copyOf(preserve);
    }

    /** With the receiver's own choice of {@link DirectIo}. */
    public TargetRules(
            Existing existing, boolean compareDigest, Durability durability, boolean resume, Set<Preserve> preserve) {
        this(existing, compareDigest, durability, resume, preserve, DirectIo.AUTO);
    }

    /** Keeps nothing because it is newer, and deletes nothing. */
    public TargetRules(
            Existing existing,
            boolean compareDigest,
            Durability durability,
            boolean resume,
            Set<Preserve> preserve,
            DirectIo directIo) {
        this(existing, compareDigest, durability, resume, preserve, directIo, false, null);
    }

    /**
     * What the source does not have is deleted, below the directories that the sources map to.
     *
     * @param maxFiles with more, nothing is deleted
     * @param deletesExcluded also what the selection leaves out
     */
    public record Mirror(long maxFiles, boolean deletesExcluded) {
        public static final long UNLIMITED = Long.MAX_VALUE;
    }

    /** A file that stands under the target's name. Codes of all enums here are their ordinals on the wire. */
    public enum Existing {
        /** Same size and time (or, if asked, digest): nothing to do. Otherwise replace it. */
        SKIP_SAME,
        OVERWRITE,
        SKIP,
        FAIL
    }

    /** When written data is flushed to the device. */
    public enum Durability {
        /** In batches; everything is durable when the session ends well, and before it gets its final name. */
        END,
        /** Chunk by chunk. */
        CHUNK,
        NONE
    }

    /** Which files are written past the page cache, where their file system can. */
    public enum DirectIo {
        /** Large ones that are flushed anyway, on disks that do not mind where they are written to. */
        AUTO,
        /** All that fill a page. */
        ALWAYS,
        NEVER
    }

    /** Metadata that is carried over. */
    public enum Preserve {
        MODE,
        TIMES,
        LINKS,
        XATTRS,
        OWNER,
        /** With the mode, of which they are the larger part. */
        ACLS,
        /** That several names are one file. */
        HARDLINKS;

        /** A bit for each, as on the wire and in files. */
        @SuppressWarnings("EnumOrdinal") // a test of the codec pins the order
        public static int bits(Set<Preserve> set) {
            return set.stream().mapToInt(each -> 1 << each.ordinal()).sum();
        }

        /** Bits that no word has are passed over. */
        @SuppressWarnings("EnumOrdinal") // as above
        public static Set<Preserve> ofBits(long bits) {
            Set<Preserve> set = EnumSet.allOf(Preserve.class);
            set.removeIf(each -> (bits >>> each.ordinal() & 1) == 0);
            return set;
        }
    }

    public TargetRules without(Preserve what) {
        Set<Preserve> rest = preserve.stream().filter(each -> each != what).collect(Collectors.toUnmodifiableSet());
        return new TargetRules(existing, compareDigest, durability, resume, rest, directIo, keepsNewer, mirror);
    }

    public boolean preserves(Preserve what) {
        return preserve.contains(what);
    }
}
