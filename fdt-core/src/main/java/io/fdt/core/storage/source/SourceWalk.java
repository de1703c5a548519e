package io.fdt.core.storage.source;

import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.ModeChange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.UnflushedMark;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the sources, parents before children. Holds at most {@value #OPEN_LEVELS_MAX} open directories with a
 * buffer each, whatever the size and depth of the trees, and two if its session has no spare descriptors: for a deeper
 * path, the upper directories are closed, and reopened at the same position when the walk returns to them. For one
 * thread.
 */
final class SourceWalk implements AutoCloseable {
    private static final int ABOVE_MODE = 0755;
    private static final int OPEN_LEVELS_MAX = 32;
    /** The memory for a name of a file with several names: here, and in the sender until the file is in place. */
    private static final long NAME_HEAP_BYTES = 384;

    private final SourceBases bases;
    private final Iterator<SourceArgument> sources;
    private final PathFilter filter;
    private final boolean oneFileSystem;
    private final ModeChange modes;
    private final Set<Preserve> preserve;
    private final Manner manner;
    private final boolean carriesAttributes;
    /** Whether the permissions of a group must be separated from the mask, because no ACL is copied with the mode. */
    private final boolean looksBehindMasks;
    /** Null if it is not needed. */
    private final @Nullable AttributeReader attributes;

    private final SourceProblems problems;

    private final Iterator<RawPath> names;
    private final @Nullable SourceArgument namesSource;
    private final Set<RawPath> impliedParents = new HashSet<>();
    private final ArrayDeque<FileEntry> ready = new ArrayDeque<>();
    private boolean targetDirectoryGiven;

    private final Map<FileStatus.Identity, RawPath> firstNames = new HashMap<>();

    private long namesHeldBytes;
    /** Whether the budget has no room for further ones. */
    private boolean full;

    private long furtherNamesCopied;
    private long skippedCount;

    /** From the current directory up to the top. */
    private final ArrayDeque<Level> levels = new ArrayDeque<>();

    private final ArrayList<ByteBuffer> spareBuffers = new ArrayList<>();
    private final FileStatus status = new FileStatus();

    /** The file system of the current source, if the walk stays on it. */
    private long device;

    private record Level(SourceArgument source, RawPath path, DirectoryReader reader, FileStatus.Identity identity) {}

    enum Manner {
        /** Everything that can be copied. */
        AS_FOUND(Integer.MAX_VALUE),
        /**
         * The names of each directory are sorted, so that entries come in {@link TreeOrder}; a directory's names are
         * held until it is done.
         */
        SORTED(Integer.MAX_VALUE),
        /** Like {@link #SORTED}; files have {@link FileEntry#doubt}. */
        COMPARED(Integer.MAX_VALUE),
        /** Everything, including what is never copied. */
        LISTED(Integer.MAX_VALUE),
        /** Like {@link #LISTED}, but enters only sources whose contents are requested. */
        LISTED_FLAT(1),
        /** Like {@link #LISTED}, but enters nothing. */
        LISTED_ITSELF(0);

        private final int levels;

        Manner(int levels) {
            this.levels = levels;
        }

        private boolean lists() {
            return this != AS_FOUND && !sorts();
        }

        private boolean sorts() {
            return this == SORTED || this == COMPARED;
        }

        private boolean enters(RawPath path) {
            return levels > 1 || (levels == 1 && path.isEmpty());
        }
    }

    /** @param names below the only source, or null for everything */
    SourceWalk(
            SourceBases bases,
            List<SourceArgument> sources,
            @Nullable SourceNames names,
            TransferPlan selection,
            Set<Preserve> preserve,
            Manner manner,
            SourceProblems problems) {
        this.bases = bases;
        this.filter = new PathFilter(selection.get(CopyValue.RULES), selection.get(CopyValue.BOUNDS), bases.budget());
        this.oneFileSystem = selection.get(CopyValue.ONE_FILE_SYSTEM);
        this.modes = selection.get(CopyValue.CHMOD);
        this.preserve = preserve;
        this.manner = manner;
        boolean extended = preserve.contains(Preserve.XATTRS);
        boolean acls = preserve.contains(Preserve.ACLS);
        this.carriesAttributes = extended || acls;
        this.looksBehindMasks = preserve.contains(Preserve.MODE) && !acls;
        this.attributes =
                carriesAttributes || looksBehindMasks ? new AttributeReader(FailureKind.SOURCE, extended, acls) : null;
        this.problems = problems;
        if (names == null) {
            this.sources = sources.iterator();
            this.names = List.<RawPath>of().iterator();
            this.namesSource = null;
        } else {
            this.sources = List.<SourceArgument>of().iterator();
            this.names = names.names().iterator();
            this.namesSource = sources.get(0);
        }
    }

    @Nullable FileEntry next() {
        return bases.budget().inTurn(this::find);
    }

    private @Nullable FileEntry find() {
        while (true) {
            bases.budget().requireOpen();
            FileEntry entry = ready.poll();
            if (entry != null) {
                return entry;
            }
            if (!levels.isEmpty()) {
                readOneName(levels.element());
            } else if (sources.hasNext()) {
                beginSource(sources.next());
            } else if (namesSource != null && names.hasNext()) {
                beginName(namesSource, names.next());
            } else {
                return null;
            }
        }
    }

    private void beginSource(SourceArgument source) {
        try (DirectoryCache.Held base = bases.acquire(source)) {
            if (source.isRenamed()
                    && !giveParents(source, base.fd(), source.path().parent())) {
                return;
            }
            visit(source, base.fd(), source.isContents() ? RawPath.HERE : source.name(), source.path());
        } catch (TransferException failure) {
            problems.onFailed(source.argument(), failure);
        }
    }

    private void beginName(SourceArgument source, RawPath path) {
        try (DirectoryCache.Held base = bases.acquire(source)) {
            if (oneFileSystem) {
                int known = FileMetadata.stat(base.fd(), status);
                Errno.require(known, FailureKind.SOURCE, "look at", source.argument());
                device = status.device;
            }
            if (path.isEmpty()) {
                visit(source, base.fd(), RawPath.HERE, RawPath.EMPTY);
                return;
            }
            if (!giveParents(source, base.fd(), path.parent())) {
                return;
            }
            int parentFd = Errno.require(bases.openParent(source, base.fd(), path), FailureKind.SOURCE, "read", path);
            try (Descriptor parent = new Descriptor(parentFd, bases.budget())) {
                visit(source, parent.fd(), path.name(), path);
            }
        } catch (TransferException failure) {
            problems.onFailed(path, failure);
        }
    }

    /**
     * Adds the directories above a name, each once. Those above the target of a pair have no counterpart at the source:
     * they get its directory's times and owner, but neither its permissions, which may be those of /tmp, nor its
     * attributes. Returns false if one of them is excluded by a rule or cannot be read.
     */
    private boolean giveParents(SourceArgument source, int baseFd, RawPath parent) {
        if (parent.isEmpty() || impliedParents.contains(parent)) {
            return true;
        }
        if (!giveParents(source, baseFd, parent.parent()) || filter.excludes(parent, true)) {
            return false;
        }
        int fd = source.isRenamed()
                ? Descriptor.duplicate(baseFd)
                : bases.openBelow(source, baseFd, parent, Paths.O_PATH | Paths.O_DIRECTORY);
        try {
            Errno.require(fd < 0 ? fd : FileMetadata.stat(fd, status), FailureKind.SOURCE, "read directory", parent);
            if (namesSource != null && isElsewhere()) {
                problems.onLeftOut(parent);
                return false;
            }
            FileEntry above = source.isRenamed()
                    ? status.entry(parent, Kind.DIRECTORY, modes.applied(ABOVE_MODE, true), null, List.of())
                    : entry(fd, RawPath.HERE, parent, Kind.DIRECTORY, null);
            ready.add(above.onlyAbove());
            impliedParents.add(parent);
            return true;
        } catch (TransferException failure) {
            problems.onFailed(parent, failure);
            return false;
        } finally {
            Descriptor.closeFd(fd);
        }
    }

    private void readOneName(Level level) {
        if (level.reader.isSuspended() && !reopen(level)) {
            leave(levels.remove());
            return;
        }
        RawPath name = level.reader.next();
        if (name != null) {
            visit(level.source, level.reader.fd(), name, level.path.resolve(name));
            return;
        }
        int outcome = level.reader.outcome();
        if (outcome < 0) {
            problems.onFailed(level.path, Errno.failure(FailureKind.SOURCE, "read directory", level.path, -outcome));
        }
        leave(levels.remove());
    }

    /** Handles one name in an open directory: adds an entry, or reports why there is none. */
    private void visit(SourceArgument source, int dirFd, RawPath file, RawPath path) {
        if (path.isTooLong()) {
            problems.onFailed(path.shortened(), path.tooLong());
            return;
        }
        int outcome = FileMetadata.statat(dirFd, file, Paths.AT_SYMLINK_NOFOLLOW, status);
        if (outcome == 0 && status.isLink() && bases.followsLinks()) {
            visitLinked(source, path);
        } else if (outcome == -Errno.ENOENT && manner.lists() && !levels.isEmpty()) {
            return;
        } else if (outcome == -Errno.ENOENT) {
            // A name from the user does not exist; one from the directory existed a moment ago.
            TransferException why = !levels.isEmpty()
                    ? Cause.CHANGED.at(path.display()).failure("has vanished")
                    : source.isRenamed()
                            ? Cause.MISSING.at(source.argument().display()).failure("does not exist")
                            : Cause.MISSING.at(path.display()).failure("has vanished");
            problems.onFailed(path, why);
        } else if (outcome < 0) {
            problems.onFailed(path, Errno.failure(FailureKind.SOURCE, "read", path, -outcome));
        } else if (!filter.excludes(path, status.isDirectory())) {
            take(source, dirFd, file, path);
        }
    }

    /** Handles the file to which a link leads, under the path of the link. */
    private void visitLinked(SourceArgument source, RawPath path) {
        int fd = bases.follow(source, path, Paths.O_PATH);
        try {
            int outcome = fd < 0 ? fd : FileMetadata.stat(fd, status);
            if (outcome == -Errno.ENOENT) {
                problems.onFailed(
                        path,
                        Cause.MISSING
                                .at(path.display())
                                .advise("exclude it")
                                .failure("is a symbolic link to something that does not exist"));
            } else if (outcome < 0) {
                problems.onFailed(path, Errno.failure(FailureKind.SOURCE, "follow the symbolic link", path, -outcome));
            } else if (!filter.excludes(path, status.isDirectory())) {
                take(source, fd, status.isDirectory() ? RawPath.HERE : RawPath.EMPTY, path);
            }
        } finally {
            Descriptor.closeFd(fd);
        }
    }

    /** Whether the file in {@link #status} is on another file system than its source, and therefore left out. */
    private boolean isElsewhere() {
        return oneFileSystem && status.device != device;
    }

    private void take(SourceArgument source, int dirFd, RawPath file, RawPath path) {
        if (levels.isEmpty() && namesSource == null) {
            device = status.device;
        }
        if (isElsewhere()) {
            problems.onLeftOut(path);
            return;
        }
        try {
            takeAnyKind(source, dirFd, file, path);
        } catch (TransferException failure) {
            problems.onFailed(path, failure);
        }
    }

    private void takeAnyKind(SourceArgument source, int dirFd, RawPath file, RawPath path) {
        if (status.isDirectory()) {
            takeDirectory(source, dirFd, file, path);
        } else if (manner.lists() && !status.isLink()) {
            ready.add(entry(dirFd, file, path, status.isRegular() ? Kind.FILE : Kind.STREAM, null));
        } else if (!manner.lists() && PartialNames.isReserved(path.name())) {
            leaveOut(path, "belongs to an unfinished transfer");
        } else if (status.isRegular()
                && !filter.admits(status.sizeBytes, status.modifiedSeconds, status.modifiedNanos)) {
            problems.onLeftOut(path);
        } else if (status.isRegular()) {
            ready.add(entry(dirFd, file, path, Kind.FILE, firstName(path)));
        } else if (!status.isLink()) {
            leaveOut(path, "is a device, pipe or socket");
        } else if (preserve.contains(Preserve.LINKS)) {
            takeLink(dirFd, file, path);
        } else {
            leaveOut(path, "is a symbolic link, and links are not preserved");
        }
    }

    /** Skips a file that a directory contains; a file that the user named and that is not copied is a failure. */
    private void leaveOut(RawPath path, String reason) {
        if (levels.isEmpty()) {
            problems.onFailed(path, Cause.SOURCE.at(path.display()).failure(reason));
        } else {
            skippedCount++;
            problems.onSkipped(path, "skipped, it " + reason);
        }
    }

    private void takeDirectory(SourceArgument source, int dirFd, RawPath file, RawPath path) {
        if (bases.followsLinks() && levels.stream().anyMatch(level -> level.identity.isOf(status))) {
            problems.onFailed(
                    path,
                    Cause.SOURCE_LOOP
                            .at(path.display())
                            .advise("exclude the link")
                            .failure("contains itself, because a symbolic link leads to a directory above"));
            return;
        }
        if (!path.isEmpty() || !targetDirectoryGiven) {
            ready.add(entry(dirFd, file, path, Kind.DIRECTORY, null));
            targetDirectoryGiven |= path.isEmpty();
        }
        if (!manner.enters(path)) {
            return;
        }
        suspendUpperLevels();
        int fd = Paths.openat(dirFd, file, Paths.O_RDONLY | Paths.O_DIRECTORY | Paths.O_NOFOLLOW, 0);
        int outcome = fd < 0 ? fd : FileMetadata.stat(fd, status);
        if (outcome < 0) {
            Descriptor.closeFd(fd);
            throw Errno.failure(FailureKind.SOURCE, "read directory", path, -outcome);
        }
        Descriptor directory = new Descriptor(fd, bases.budget());
        DirectoryReader reader = manner.sorts()
                ? new SortedNames(directory, buffer(), bases.budget())
                : new DirectoryReader(directory, buffer());
        levels.push(new Level(source, path, reader, status.identity()));
    }

    private void takeLink(int dirFd, RawPath file, RawPath path) {
        RawPath[] target = new RawPath[1];
        int outcome = Paths.readlinkat(dirFd, file, target);
        if (outcome < 0) {
            problems.onFailed(path, Errno.failure(FailureKind.SOURCE, "read link", path, -outcome));
        } else {
            ready.add(entry(dirFd, file, path, Kind.LINK, target[0]));
        }
    }

    /** Returns how many of the files so far are further names of others, and are treated as separate files. */
    long furtherNamesCopied() {
        return furtherNamesCopied;
    }

    long skippedCount() {
        return skippedCount;
    }

    /** Returns the first name that was found of a file with several names; null for a separate file. */
    private @Nullable RawPath firstName(RawPath path) {
        if (status.linkCount < 2 || manner != Manner.AS_FOUND) {
            return null;
        }
        boolean kept = preserve.contains(Preserve.HARDLINKS);
        FileStatus.Identity inode = status.identity();
        RawPath first = firstNames.get(inode);
        long bytes = NAME_HEAP_BYTES + path.lengthBytes();
        full |= !bases.budget().tryTake(Resource.HEAP, bytes);
        namesHeldBytes += full ? 0 : bytes;
        if (first == null && !full) {
            firstNames.put(inode, path);
        } else if (first != null && (full || !kept) && !first.equals(path)) {
            furtherNamesCopied++;
        }
        return !kept || full ? null : first == null ? path : first;
    }

    /**
     * Returns a mode without the ACL's mask: if the ACL is not copied, the group bits must be the permissions that the
     * ACL gives the owning group.
     */
    private int mode(int dirFd, RawPath file, RawPath path) {
        int mode = status.mode();
        int group = (mode >> 3) & 7;
        // Skip the check if all others have these permissions, too: it costs a call for each file.
        boolean grants = status.isDirectory() ? group != 0 : status.isRegular() && (group & ~mode) != 0;
        int unmasked =
                attributes != null && looksBehindMasks && grants ? attributes.groupPermissions(dirFd, file, path) : -1;
        return unmasked < 0 ? mode : (mode & ~070) | (unmasked << 3);
    }

    private FileEntry entry(int dirFd, RawPath name, RawPath path, Kind kind, @Nullable RawPath linkTarget) {
        boolean own = linkTarget == null || linkTarget.equals(path);
        if (kind == Kind.FILE) {
            bases.onFound(path, status);
        }
        List<Attribute> carried = own && !manner.lists() ? attributesOf(dirFd, name, path) : List.of();
        int mode = mode(dirFd, name, path);
        boolean changes = kind == Kind.FILE || kind == Kind.DIRECTORY;
        int sent = changes ? modes.applied(mode, kind == Kind.DIRECTORY) : mode;
        return status.entry(path, kind, sent, linkTarget, carried);
    }

    private List<Attribute> attributesOf(int dirFd, RawPath file, RawPath path) {
        if (attributes == null || !carriesAttributes) {
            return List.of();
        }
        List<Attribute> found = attributes.read(dirFd, file, path);
        if (found == null) {
            problems.onSkipped(path, "its extended attributes exceed 64 KiB or 128 attributes and are not preserved");
            return List.of();
        }
        if (manner == Manner.COMPARED && status.isRegular()) {
            found.addAll(UnflushedMark.shown(dirFd, file));
        }
        return found;
    }

    /** Closes the upper directories, as far as there is no room for them beside another one. */
    private void suspendUpperLevels() {
        int room = bases.budget().hasSpare(Resource.DESCRIPTORS, 1) ? OPEN_LEVELS_MAX - 1 : 1;
        int open = 0;
        for (Level level : levels) {
            if (level.reader.isSuspended()) {
                return;
            }
            if (++open > room) {
                keepBuffer(level.reader.suspend());
            }
        }
    }

    private boolean reopen(Level level) {
        try (DirectoryCache.Held base = bases.acquire(level.source)) {
            int fd = bases.openBelow(level.source, base.fd(), level.path, Paths.O_RDONLY | Paths.O_DIRECTORY);
            Errno.require(fd, FailureKind.SOURCE, "read directory", level.path);
            int resumed = level.reader.resume(new Descriptor(fd, bases.budget()), buffer());
            if (FileMetadata.stat(fd, status) < 0 || !level.identity.isOf(status)) {
                throw Cause.CHANGED.at(level.path.display()).failure("was replaced while it was listed");
            }
            Errno.require(resumed, FailureKind.SOURCE, "read directory", level.path);
            return true;
        } catch (TransferException failure) {
            problems.onFailed(level.path, failure);
            return false;
        }
    }

    private void leave(Level level) {
        keepBuffer(level.reader.suspend());
        level.reader.forget();
    }

    private ByteBuffer buffer() {
        return spareBuffers.isEmpty() ? DirectoryReader.newBuffer() : spareBuffers.remove(spareBuffers.size() - 1);
    }

    private void keepBuffer(@Nullable ByteBuffer spare) {
        if (spare != null) {
            spareBuffers.add(spare);
        }
    }

    @Override
    public void close() {
        levels.forEach(this::leave);
        levels.clear();
        firstNames.clear();
        bases.budget().give(Resource.HEAP, namesHeldBytes);
        namesHeldBytes = 0;
    }
}
