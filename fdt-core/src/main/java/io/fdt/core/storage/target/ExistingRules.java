package io.fdt.core.storage.target;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.UnflushedMark;
import io.fdt.core.storage.source.DiskSourceFile;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules for existing files with the name of an entry. For one thread.
 *
 * @param onlyNewNames whether what exists stays as it is, whatever the rules
 * @param timeProbe determines how the file system stores a time
 */
record ExistingRules(
        TransferPlan plan,
        Existing existing,
        Comparison comparison,
        boolean keepsNewer,
        boolean onlyNewNames,
        TimeProbe timeProbe) {
    ExistingRules(TransferPlan plan, boolean onlyNewNames, TimeProbe timeProbe) {
        this(
                plan,
                plan.get(CopyValue.EXISTING),
                plan.get(CopyValue.COMPARE),
                plan.get(CopyValue.UPDATE),
                onlyNewNames,
                timeProbe);
    }

    /** Whether an existing file always stays, even if it was created just before the rename. */
    boolean neverReplace() {
        return onlyNewNames || existing == Existing.SKIP || existing == Existing.FAIL;
    }

    /** Whether an existing file may stay, whoever created it: then it must be looked up in every directory. */
    boolean mayKeepAny() {
        return neverReplace() || keepsNewer;
    }

    /** Whether an existing file that stays gets the metadata of its entry. */
    boolean updatesMetadata() {
        return skipSame() && !onlyNewNames;
    }

    boolean skipSame() {
        return existing == Existing.SKIP_SAME;
    }

    /**
     * Whether a file or link that would be kept has other names, too, and would have to be changed for this entry: then
     * it is replaced by a copy, and the other names stay unchanged.
     */
    boolean isSharedAndDiffers(FileEntry entry, int parentFd, RawPath name, FileStatus there, Metadata metadata) {
        return updatesMetadata()
                && !isKeptAsNewer(entry, there)
                && there.linkCount > 1
                && metadata.differs(entry, parentFd, name, there, this);
    }

    /** Whether a file stays because it was modified later than the source. A stream has no time. */
    boolean isKeptAsNewer(FileEntry entry, FileStatus there) {
        return keepsNewer
                && entry.kind() == FileEntry.Kind.FILE
                && there.isRegular()
                && (there.modifiedSeconds > entry.modifiedSeconds()
                        || (there.modifiedSeconds == entry.modifiedSeconds()
                                && there.modifiedNanos > entry.modifiedNanos()));
    }

    /** Whether an existing file stays in any case; throws if its existence is a failure. */
    boolean isAlwaysKept(RawPath shown) {
        if (existing == Existing.FAIL) {
            throw Cause.EXISTS.at(shown.display()).failure("already exists");
        }
        return existing == Existing.SKIP;
    }

    /** Throws if what exists must stay, whatever the rules. */
    void requireMayChange(RawPath shown) {
        if (onlyNewNames) {
            throw Cause.NO_RIGHT
                    .at(shown.display())
                    .advise("get a key that may replace files (fdt key create --allow), or copy to a new name")
                    .failure("already exists and differs, and this key permits new names only");
        }
    }

    /**
     * Throws unless the existing file may be replaced: it must be a file or a link, and the rules must permit
     * replacement.
     */
    void requireReplaceable(FileStatus there, RawPath shown) {
        requireMayChange(shown);
        if (neverReplace() || !(there.isRegular() || there.isLink())) {
            throw Cause.OTHER_KIND.at(shown.display()).failure("already exists as another kind of file");
        }
    }

    static boolean isSameLink(int parentFd, RawPath name, FileStatus there, RawPath linkTarget) {
        RawPath[] found = new RawPath[1];
        return there.isLink() && Paths.readlinkat(parentFd, name, found) == 0 && linkTarget.equals(found[0]);
    }

    boolean replaceFilesByDirectories() {
        return existing == Existing.OVERWRITE;
    }

    /** Throws unless a directory may take the place of an existing file, which is then deleted, or of a link. */
    void requireReplaceableByDirectory(FileStatus there, RawPath shown) {
        requireReplaceable(there, shown);
        if (there.isRegular() && !replaceFilesByDirectories()) {
            throw Cause.OTHER_KIND
                    .at(shown.display())
                    .advise("move it away, or replace it with --existing overwrite")
                    .failure("is a file where the source has a directory");
        }
    }

    /**
     * Returns the outcome for a file whose name is taken by something other than a directory; null if that must be
     * replaced.
     *
     * @param opener opens the existing file
     */
    @Nullable Outcome judge(FileEntry entry, int parentFd, FileStatus there, RawPath shown, Supplier<SourceFile> opener) {
        if (isAlwaysKept(shown) || isKeptAsNewer(entry, there)) {
            return new Outcome.Skipped();
        }
        boolean sameSize = there.isRegular() && there.sizeBytes == entry.sizeBytes();
        if (skipSame() && sameSize) {
            return switch (comparison) {
                case SIZE -> new Outcome.Skipped();
                case DIGEST -> new Outcome.Compare(opener);
                case TIME -> hasTimeOf(entry, parentFd, there) ? new Outcome.Skipped() : null;
            };
        }
        return null;
    }

    /** Opens an existing file for comparison, if it still is as {@link #judge} saw it. */
    static SourceFile open(Budget budget, int parentFd, RawPath name, FileStatus.State seen, RawPath shown) {
        return DiskSourceFile.open(
                budget, parentFd, name, FailureKind.TARGET, shown, seen::isOf, "changed while it was compared");
    }

    /** Whether an existing file is copied again, unless its content is compared, because its data may be lost. */
    boolean isDoubtful(UnflushedMark.Data data) {
        return data == UnflushedMark.Data.DOUBTFUL && skipSame() && comparison != Comparison.DIGEST;
    }

    /** Whether a file shows the time of the entry, as far as its file system stores it. */
    boolean hasTimeOf(FileEntry entry, int parentFd, FileStatus there) {
        return there.hasTimeOf(entry) || timeProbe.wouldShow(parentFd, entry, there);
    }
}
