package io.fdt.core.storage.target;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.partial.OpenPartial;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.Objects;
import java.util.function.ToIntFunction;

/** Symbolic and hard links of a target. For the session's thread. */
final class TargetLinks {
    private final Disk disk;
    private final Placement placement;
    private final TargetDirectories directories;
    private final ExistingRules existing;
    private final Metadata metadata;
    private final FileStatus status = new FileStatus();

    TargetLinks(
            Disk disk, Placement placement, TargetDirectories directories, ExistingRules existing, Metadata metadata) {
        this.disk = disk;
        this.placement = placement;
        this.directories = directories;
        this.existing = existing;
        this.metadata = metadata;
    }

    /** @param again whether to look once more at what another copy has put there meanwhile */
    Outcome prepare(FileEntry entry, boolean again) {
        RawPath path = placement.pathOf(entry);
        RawPath linkTarget = entry.linkTarget();
        if (linkTarget == null || linkTarget.isEmpty()) {
            throw Cause.REFUSED.at(entry.path().display()).failure("is a link without a target");
        }
        directories.onTouched(path.parent());
        try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
            boolean exists = directories.find(parent.fd(), path, status);
            if (exists) {
                directories.requireExactName(parent, path, status);
                boolean stays = existing.isAlwaysKept(placement.shown(path));
                if (stays
                        || (existing.skipSame()
                                && !directories.mayBeLost(path, status, true)
                                && ExistingRules.isSameLink(parent.fd(), path.name(), status, linkTarget)
                                && !existing.isSharedAndDiffers(entry, parent.fd(), path.name(), status, metadata))) {
                    if (existing.updatesMetadata()
                            && metadata.differs(entry, parent.fd(), path.name(), status, existing)) {
                        requireDone(giveLinkAll(parent.fd(), path.name(), entry), path);
                    }
                    return new Outcome.Skipped();
                }
                existing.requireReplaceable(status, placement.shown(path));
            }
            int done = makeLink(parent.fd(), path, entry, linkTarget, exists);
            if (done == -Errno.EEXIST && !exists && again) {
                return prepare(entry, false);
            }
            requireDone(done, path);
        }
        return new Outcome.Made();
    }

    /**
     * Creates another name for a file that this session has put in place, which must still have the same size, or has
     * kept although it differs: then it is that file which gets the other name.
     *
     * @param again as for {@link #prepare}
     */
    Outcome prepareFurtherName(FileEntry entry, boolean again) {
        RawPath path = placement.pathOf(entry);
        RawPath firstPath = placement.pathOf(entry.at(Objects.requireNonNull(entry.linkTarget())));
        FileStatus linked = new FileStatus();
        directories.onTouched(path.parent());
        try (DirectoryCache.Held parent = directories.acquire(path.parent());
                DirectoryCache.Held firstParent = directories.acquire(firstPath.parent())) {
            boolean exists = directories.find(parent.fd(), path, status);
            if (exists && !status.isDirectory() && existing.isAlwaysKept(placement.shown(path))) {
                return new Outcome.Skipped();
            }
            boolean found = directories.find(firstParent.fd(), firstPath, linked);
            boolean mayDiffer =
                    existing.existing() == TargetRules.Existing.SKIP || existing.isKeptAsNewer(entry, linked);
            if (!found || !linked.isRegular() || (linked.sizeBytes != entry.sizeBytes() && !mayDiffer)) {
                throw Cause.TARGET
                        .at(placement.shown(firstPath).display())
                        .failure("changed before it got its further name " + path.display());
            }
            if (exists) {
                if (status.isDirectory()) {
                    throw Errno.failure(FailureKind.TARGET, "write", placement.shown(path), Errno.EISDIR);
                }
                directories.requireExactName(parent, path, status);
                boolean same = status.isSameFile(linked);
                if (same || existing.isKeptAsNewer(entry, status)) {
                    return new Outcome.Skipped();
                }
                existing.requireReplaceable(status, placement.shown(path));
            }
            ToIntFunction<RawPath> maker = name -> Paths.linkat(firstParent.fd(), firstPath.name(), parent.fd(), name);
            int done = exists ? put(parent.fd(), path, 0, maker) : maker.applyAsInt(path.name());
            if (done == -Errno.EEXIST && !exists && again) {
                return prepareFurtherName(entry, false);
            }
            if (done < 0) {
                throw Errno.failureOfName(
                        FailureKind.TARGET,
                        "make it a hard link to " + placement.shown(firstPath).display(),
                        placement.shown(path),
                        -done);
            }
        }
        return new Outcome.Made();
    }

    /** The link gets its name last: a later run may rely on the time and owner of what has it. */
    private int makeLink(int parentFd, RawPath path, FileEntry entry, RawPath linkTarget, boolean replaces) {
        return put(parentFd, path, replaces ? 0 : Paths.RENAME_NOREPLACE, name -> {
            int made = Paths.symlinkat(linkTarget, parentFd, name);
            Errno.requireName(made, FailureKind.TARGET, "make link", placement.shown(path));
            return giveLinkAll(parentFd, name, entry);
        });
    }

    /**
     * Creates something under a temporary name, and then gives it its name. Returns 0 or the negated errno.
     *
     * @param renameFlags whether it may replace something
     * @param maker creates it under a name; returns 0 or the negated errno
     */
    private int put(int parentFd, RawPath path, int renameFlags, ToIntFunction<RawPath> maker) {
        RawPath temporary = directories.temporaryName(parentFd, path);
        int made = maker.applyAsInt(temporary);
        int done = made < 0 ? made : OpenPartial.rename(disk, parentFd, temporary, path.name(), renameFlags);
        if (done < 0) {
            Paths.unlinkat(parentFd, temporary, 0);
        }
        return done;
    }

    /** Sets the owner and time of a link; returns 0 or the negated errno. */
    private int giveLinkAll(int parentFd, RawPath name, FileEntry entry) {
        if (!metadata.carriesOwner() && !metadata.carriesTimes()) {
            return 0;
        }
        int fd = Paths.openLink(parentFd, name);
        int done = fd >= 0 && metadata.carriesOwner()
                ? FileMetadata.setOwner(fd, entry.uid(), entry.gid())
                : Math.min(0, fd);
        if (done == 0 && metadata.carriesTimes()) {
            done = FileMetadata.setModified(fd, entry.modifiedSeconds(), entry.modifiedNanos());
        }
        Descriptor.closeFd(fd);
        return done;
    }

    private void requireDone(int outcome, RawPath path) {
        Errno.require(outcome, FailureKind.TARGET, "make the link with its owner and time", placement.shown(path));
    }
}
