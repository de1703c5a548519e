package io.fdt.core.storage.target;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.UnflushedMark;
import io.fdt.core.storage.source.RememberedPaths;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Determines what a {@link TargetTree} would do with entries, without changing anything, and whether there is room for
 * them: for dry runs. Data written to its files is discarded. For one thread.
 */
public final class TargetPreview extends UnkeptTarget {
    private final @Nullable Placement placement;
    private final TimeProbe timeProbe;
    private final ExistingRules existing;
    private final Metadata metadata;
    /** The first names of files that would be replaced: their further names would be, too. */
    private final RememberedPaths replaced;

    private final FileStatus status = new FileStatus();
    private final FileStatus parentStatus = new FileStatus();
    private final FileStatus partialStatus = new FileStatus();
    /** The target's directory, or the nearest one above it that exists. */
    private final Descriptor base;

    private final long baseDevice;
    private final Room room;
    private boolean severalFileSystems;

    /** @throws TransferException TARGET or REFUSED, like the tree itself */
    public TargetPreview(Root root, RawPath target, TransferPlan plan, boolean single) {
        this.placement = Placement.find(root, target, single, false, plan.get(CopyValue.KEEP_DIRLINKS));
        this.timeProbe = new TimeProbe(root.budget(), false);
        this.existing = new ExistingRules(plan, root.mask().onlyNewNames(), timeProbe);
        this.metadata = new Metadata(plan, root.mask(), Disk.KERNEL);
        this.replaced = new RememberedPaths("--preserve hardlinks", "preview in parts", root.budget());
        this.base = new Descriptor(openNearest(root, target), root.budget());
        FileMetadata.stat(base.fd(), status);
        this.baseDevice = status.device;
        this.room = new Room(base.fd(), target);
    }

    private static int openNearest(Root root, RawPath target) {
        int flags = Paths.O_PATH | Paths.O_DIRECTORY;
        RawPath directory = target;
        int fd = root.open(directory, flags, 0);
        while (fd < 0 && !directory.isEmpty() && !directory.equals(RawPath.ROOT)) {
            directory = directory.parent();
            fd = root.open(directory, flags, 0);
        }
        return fd < 0 ? root.duplicate() : fd;
    }

    @Override
    public Outcome prepare(FileEntry entry) {
        Placement place = placement;
        if (place == null) {
            room.onWanted(entry, 0, 0);
            return outcomeOfNew(entry);
        }
        RawPath path = place.pathOf(entry);
        return path.isEmpty() ? new Outcome.Made() : look(place, entry, path);
    }

    private Outcome look(Placement place, FileEntry entry, RawPath path) {
        int parentFd = place.openDirectory(path.parent(), Paths.O_PATH);
        // A directory would replace a file or link with its name, as reported for the directory's own entry.
        if (parentFd == -Errno.ENOENT
                || (parentFd == -Errno.ENOTDIR && existing.replaceFilesByDirectories())
                || (parentFd < 0 && !existing.neverReplace() && isBehindLink(place, path.parent()))) {
            room.onWanted(entry, 0, 0);
            return outcomeOfNew(entry);
        }
        if (parentFd < 0) {
            throw place.cannotOpen(path.parent(), -parentFd);
        }
        try {
            int known = FileMetadata.statat(parentFd, path.name(), Paths.AT_SYMLINK_NOFOLLOW, status);
            if (known != -Errno.ENOENT) {
                Errno.require(known, FailureKind.TARGET, "look at", place.shown(path));
            }
            boolean isNew = known < 0;
            Outcome outcome = isNew ? outcomeOfNew(entry) : judge(place, entry, path, parentFd);
            if (entry.hasData() && (isNew || outcome instanceof Outcome.WouldReplace)) {
                addToRoom(entry, path, parentFd, isNew);
            }
            return outcome;
        } finally {
            Descriptor.closeFd(parentFd);
        }
    }

    /** Whether a directory cannot be opened because of a link in its way, which is not followed. */
    private boolean isBehindLink(Placement place, RawPath directory) {
        RawPath inWay = directory;
        int parentFd = place.openDirectory(inWay.parent(), Paths.O_PATH);
        while (parentFd < 0 && !inWay.parent().isEmpty()) {
            inWay = inWay.parent();
            parentFd = place.openDirectory(inWay.parent(), Paths.O_PATH);
        }
        boolean link = parentFd >= 0
                && FileMetadata.statat(parentFd, inWay.name(), Paths.AT_SYMLINK_NOFOLLOW, parentStatus) == 0
                && parentStatus.isLink();
        Descriptor.closeFd(parentFd);
        return link;
    }

    private void addToRoom(FileEntry entry, RawPath path, int parentFd, boolean isNew) {
        FileMetadata.stat(parentFd, parentStatus);
        severalFileSystems |= parentStatus.device != baseDevice;
        RawPath partial = PartialNames.of(path.name()).partial();
        boolean resumes = FileMetadata.statat(parentFd, partial, Paths.AT_SYMLINK_NOFOLLOW, partialStatus) == 0
                && partialStatus.isRegular();
        boolean replaces = !isNew && status.isRegular() && status.linkCount == 1;
        room.onWanted(entry, resumes ? partialStatus.allocatedBytes() : 0, replaces ? status.sizeBytes : 0);
    }

    @Override
    public void requireRoom(long writtenBytes) {
        if (!severalFileSystems) {
            room.requireForAll();
        }
    }

    private Outcome judge(Placement place, FileEntry entry, RawPath path, int parentFd) {
        RawPath shown = place.shown(path);
        if (entry.kind() == Kind.DIRECTORY) {
            if (status.isDirectory() || place.keepsLinkAt(path, status)) {
                return new Outcome.Made();
            }
            existing.requireReplaceableByDirectory(status, shown);
            return new Outcome.WouldReplace();
        }
        boolean differs = existing.isSharedAndDiffers(entry.whole(), parentFd, path.name(), status, metadata);
        RawPath linkTarget = entry.linkTarget();
        if (entry.kind() == Kind.LINK && linkTarget != null) {
            if (existing.isAlwaysKept(shown)
                    || (existing.skipSame()
                            && !differs
                            && ExistingRules.isSameLink(parentFd, path.name(), status, linkTarget))) {
                return new Outcome.Skipped();
            }
            existing.requireReplaceable(status, shown);
            return new Outcome.Made();
        }
        if (status.isDirectory()) {
            throw Errno.failure(FailureKind.TARGET, "write", shown, Errno.EISDIR);
        }
        if (entry.isFurtherName()) {
            if (existing.isAlwaysKept(shown) || existing.isKeptAsNewer(entry, status) || isLinked(place, entry, path)) {
                return new Outcome.Skipped();
            }
            existing.requireReplaceable(status, shown);
            return new Outcome.WouldReplace();
        }
        FileStatus.State seen = status.state();
        boolean doubtful =
                status.isRegular() && existing.isDoubtful(UnflushedMark.read(Disk.KERNEL, parentFd, path.name()));
        Outcome outcome = differs || doubtful
                ? null
                : existing.judge(entry.whole(), parentFd, status, shown, () -> openExisting(place, path, seen));
        if (outcome != null) {
            return outcome;
        }
        existing.requireReplaceable(status, shown);
        return wouldReplace(entry);
    }

    private Outcome wouldReplace(FileEntry entry) {
        if (entry.isFirstName()) {
            replaced.add(entry.path());
        }
        return new Outcome.WouldReplace();
    }

    private boolean isLinked(Placement place, FileEntry entry, RawPath path) {
        FileStatus there = new FileStatus();
        FileStatus first = new FileStatus();
        RawPath firstName = Objects.requireNonNull(entry.linkTarget());
        RawPath firstPath = place.pathOf(entry.at(firstName));
        return !replaced.contains(firstName)
                && statusAt(place, path, there)
                && statusAt(place, firstPath, first)
                && there.isSameFile(first);
    }

    private static boolean statusAt(Placement place, RawPath path, FileStatus found) {
        int parentFd = place.openDirectory(path.parent(), Paths.O_PATH);
        int known =
                parentFd < 0 ? parentFd : FileMetadata.statat(parentFd, path.name(), Paths.AT_SYMLINK_NOFOLLOW, found);
        Descriptor.closeFd(parentFd);
        return known == 0;
    }

    private static SourceFile openExisting(Placement place, RawPath path, FileStatus.State seen) {
        int parentFd = place.openDirectory(path.parent(), Paths.O_PATH);
        try {
            return ExistingRules.open(place.budget(), parentFd, path.name(), seen, place.shown(path));
        } finally {
            Descriptor.closeFd(parentFd);
        }
    }

    private static Outcome outcomeOfNew(FileEntry entry) {
        return entry.isFile() ? new Outcome.Wanted(DiscardTarget.FILE, List.of(), null) : new Outcome.Made();
    }

    /** It takes the room of the existing file, which is as long. */
    @Override
    public Outcome prepareChanged(FileEntry entry) {
        existing.requireMayChange(entry.path());
        return wouldReplace(entry);
    }

    @Override
    public @Nullable Root directoryAt(RawPath path) {
        return placement == null ? null : placement.directoryAt(path);
    }

    @Override
    public boolean hasAbove(RawPath path, boolean ofPair) {
        return placement != null && placement.hasAbove(path, ofPair);
    }

    @Override
    public void close() {
        base.close();
        replaced.close();
        timeProbe.close();
        if (placement != null) {
            placement.close();
        }
    }
}
