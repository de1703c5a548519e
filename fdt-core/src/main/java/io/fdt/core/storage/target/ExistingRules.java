package io.fdt.core.storage.target;

import io.fdt.core.FailureKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.source.DiskSourceFile;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules for files that already exist under an entry's name. One thread.
 *
 * @param timeProbe asks the file system what it would make of a time; null when nothing may be touched
 */
record ExistingRules(TargetRules rules, @Nullable TimeProbe timeProbe) {
    /** What is there is left alone, even if it has come into being only just before the rename. */
    boolean neverReplace() {
        return rules.existing() == Existing.SKIP || rules.existing() == Existing.FAIL;
    }

    /** Whether a file of that name, whoever put it there, may stay: then it is looked for in every directory. */
    boolean mayKeepAny() {
        return neverReplace() || rules.keepsNewer();
    }

    boolean skipSame() {
        return rules.existing() == Existing.SKIP_SAME;
    }

    /**
     * Whether a file or link that would be kept has other names, too, and would have to be changed for this entry: it
     * makes way for a copy then, and the other names keep what they have.
     */
    boolean isSharedAndDiffers(FileEntry entry, int parentFd, RawPath name, FileStatus there, Metadata metadata) {
        return skipSame()
                && !isKeptAsNewer(entry, there)
                && there.linkCount > 1
                && metadata.differs(entry, parentFd, name, there);
    }

    /** Whether a file stays as it is because it was modified later than the source. What streams has no time. */
    boolean isKeptAsNewer(FileEntry entry, FileStatus there) {
        return rules.keepsNewer()
                && entry.kind() == FileEntry.Kind.FILE
                && there.isRegular()
                && (there.modifiedSeconds > entry.modifiedSeconds()
                        || (there.modifiedSeconds == entry.modifiedSeconds()
                                && there.modifiedNanos > entry.modifiedNanos()));
    }

    /** Whether what is there stays in any case; throws when that is a failure. */
    boolean staysInAnyCase(RawPath shown) {
        if (rules.existing() == Existing.FAIL) {
            throw FailureKind.TARGET.failure(shown.display() + ": already exists");
        }
        return rules.existing() == Existing.SKIP;
    }

    /** A file or link may make way for something else if the rules let files be replaced at all. */
    void requireReplaceable(FileStatus there, RawPath shown) {
        if (neverReplace() || !(there.isRegular() || there.isLink())) {
            throw FailureKind.TARGET.failure(shown.display() + ": already exists as another kind of file");
        }
    }

    /**
     * The outcome for a file whose name is taken by something other than a directory; null when it is to be replaced.
     *
     * @param opener opens what is there
     */
    @Nullable Outcome judge(FileEntry entry, int parentFd, FileStatus there, RawPath shown, Supplier<SourceFile> opener) {
        if (staysInAnyCase(shown) || isKeptAsNewer(entry, there)) {
            return new Outcome.Skipped();
        }
        boolean sameSize = there.isRegular() && there.sizeBytes == entry.sizeBytes();
        if (skipSame() && sameSize) {
            if (rules.compareDigest()) {
                return new Outcome.Compare(opener);
            }
            return hasTimeOf(entry, parentFd, there) ? new Outcome.Skipped() : null;
        }
        return null;
    }

    /** Opens what is to be compared, if it is still what {@link #judge} saw. */
    static SourceFile open(int parentFd, RawPath name, FileStatus.State seen, RawPath shown) {
        return DiskSourceFile.open(
                parentFd, name, FailureKind.TARGET, shown, seen::isOf, "changed while it was compared");
    }

    private boolean hasTimeOf(FileEntry entry, int parentFd, FileStatus there) {
        return there.hasTimeOf(entry) || (timeProbe != null && timeProbe.wouldShow(parentFd, entry, there));
    }
}
