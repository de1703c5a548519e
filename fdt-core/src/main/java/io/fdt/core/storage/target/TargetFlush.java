package io.fdt.core.storage.target;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.UnflushedMark;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a target durable: the file systems that a session has encountered, the directories in which it created, renamed
 * or found something, and the files that it left unchanged. Those may have been written by a run that was killed or
 * that flushed nothing, so they are flushed like its own. A failed flush is final: the session publishes nothing more,
 * and {@link LossMarks} inform later sessions. Thread-safe.
 */
final class TargetFlush implements AutoCloseable {
    /** The limit for the paths in {@link #directories}. */
    private static final int DIRECTORIES_MAX_BYTES = 1 << 20;
    /** The limit for the paths in {@link #unflushed}: with more, their file systems are flushed at once. */
    private static final int UNFLUSHED_MAX_BYTES = 1 << 20;
    /** The size of a path in addition to its own bytes. */
    private static final int PATH_BYTES = 128;
    /** For more files, one flush of their file systems is cheaper. */
    private static final int FILES_MAX = 8;

    private final TargetDirectories tree;
    private final Disk disk;
    private final Root root;
    private final RawPath target;
    private final LossMarks marks;
    /** By device. Each is held open from its first use, because the kernel reports lost writes only from then on. */
    private final Map<Long, Descriptor> fileSystems = new ConcurrentHashMap<>();

    private final Set<RawPath> directories = new HashSet<>();
    private final Set<RawPath> files = new HashSet<>();
    /** Kept files whose marks go away when they are flushed. */
    private final Map<RawPath, FileStatus.Identity> unflushed = new HashMap<>();

    private int unflushedBytes;
    private int directoriesBytes;
    private boolean tooMany;
    private volatile @Nullable TransferException failure;

    /**
     * @param target the directory, relative to the root
     * @param targetFd the directory, which stays open
     */
    TargetFlush(Disk disk, TargetDirectories tree, Root root, RawPath target, int targetFd, LossMarks marks) {
        this.tree = tree;
        this.disk = disk;
        this.root = root;
        this.target = target;
        this.marks = marks;
        onOpened(targetFd);
    }

    /** Called after a directory of the target was opened. */
    void onOpened(int dirFd) {
        FileStatus status = new FileStatus();
        Errno.require(FileMetadata.stat(dirFd, status), FailureKind.TARGET, "look at", tree.shown(RawPath.EMPTY));
        fileSystems.computeIfAbsent(status.device, device -> new Descriptor(hold(dirFd), tree.budget()));
    }

    /**
     * Holds a file system open. For a directory that may be writable but not readable, this is a nameless file in it,
     * because an {@code O_PATH} descriptor cannot flush.
     */
    private int hold(int dirFd) {
        int nameless =
                Descriptor.isPath(dirFd) ? Paths.openat(dirFd, RawPath.HERE, Paths.O_TMPFILE | Paths.O_RDWR, 0600) : -1;
        int fd = nameless < 0 ? Descriptor.duplicate(dirFd) : nameless;
        Errno.require(fd, FailureKind.TARGET, "keep the file system open", tree.shown(RawPath.EMPTY));
        return fd;
    }

    /**
     * Called after something in the directory was created, renamed or found, or before the directory itself gets other
     * metadata.
     */
    synchronized void onTouched(RawPath directory) {
        tooMany |= directoriesBytes >= DIRECTORIES_MAX_BYTES;
        if (!tooMany && directories.add(directory)) {
            directoriesBytes += PATH_BYTES + directory.lengthBytes();
        }
    }

    /**
     * Called for a file that stays, whatever metadata it gets.
     *
     * @param marked the file, if it has an {@link UnflushedMark} that goes away when it is flushed; else null
     */
    void onKept(RawPath file, FileStatus.@Nullable Identity marked) {
        boolean full;
        synchronized (this) {
            onTouched(file.parent());
            tooMany |= files.size() >= FILES_MAX;
            if (!tooMany) {
                files.add(file);
            }
            if (marked != null && unflushed.put(file, marked) == null) {
                unflushedBytes += PATH_BYTES + file.lengthBytes();
            }
            full = unflushedBytes >= UNFLUSHED_MAX_BYTES;
        }
        if (full) {
            Map<RawPath, FileStatus.Identity> flushed = takeUnflushed();
            syncFileSystems();
            flushed.forEach(this::removeMark);
        }
    }

    private synchronized Map<RawPath, FileStatus.Identity> takeUnflushed() {
        Map<RawPath, FileStatus.Identity> taken = Map.copyOf(unflushed);
        unflushed.clear();
        unflushedBytes = 0;
        return taken;
    }

    /** Not of a file that took its name meanwhile. */
    private void removeMark(RawPath path, FileStatus.Identity flushed) {
        try (DirectoryCache.Held parent = open(path.parent())) {
            int fd = parent == null ? -1 : disk.open(parent.fd(), path.name(), Paths.O_PATH | Paths.O_NOFOLLOW, 0);
            FileStatus there = new FileStatus();
            if (fd >= 0 && FileMetadata.stat(fd, there) == 0 && flushed.isOf(there)) {
                UnflushedMark.remove(disk, fd, there);
            }
            if (fd >= 0) {
                disk.close(fd);
            }
        }
    }

    /** Throws if a flush has failed: it is unknown which part of the data was lost, so none of it may be published. */
    void requireNothingLost() {
        TransferException known = failure;
        if (known != null) {
            throw known;
        }
    }

    private TransferException lost(String action, RawPath shown, int synced) {
        TransferException known = Errno.failure(FailureKind.TARGET, action, shown, -synced);
        failure = known;
        marks.onFlushFailed();
        return known;
    }

    void syncFileSystems() {
        requireNothingLost();
        for (Descriptor fileSystem : fileSystems.values()) {
            int synced = disk.syncFileSystem(fileSystem.fd());
            if (synced == -Errno.EBADF) {
                // The directory is writable but not readable, and its file system has no nameless files.
                Libc.sync();
            } else if (synced < 0) {
                throw lost("flush the file system", tree.shown(RawPath.EMPTY), synced);
            }
        }
    }

    /** Makes the names in a directory durable, and its own metadata. */
    void syncNames(RawPath directory) {
        try (DirectoryCache.Held held = open(directory)) {
            if (held != null) {
                syncDirectory(held.fd(), "flush directory", tree.shown(directory));
            }
        }
    }

    /** Does the same for an open directory. */
    void syncDirectory(int fd, String action, RawPath shown) {
        requireNothingLost();
        int synced = disk.sync(fd);
        if (synced == -Errno.EBADF) {
            syncFileSystems();
        } else if (synced < 0 && synced != -Errno.EINVAL) {
            // Some file systems have nothing to flush for a directory, and return EINVAL.
            throw lost(action, shown, synced);
        }
    }

    /** Makes durable what no other flush has covered: files that were kept, directories, and the name of the target. */
    void syncRest() {
        Set<RawPath> touched = Set.of(RawPath.EMPTY);
        Set<RawPath> kept = Set.of();
        Map<RawPath, FileStatus.Identity> flushed = takeUnflushed();
        boolean all;
        synchronized (this) {
            all = tooMany;
            if (!all) {
                touched = Set.copyOf(directories);
                kept = Set.copyOf(files);
            }
        }
        if (all) {
            syncFileSystems();
        }
        kept.forEach(this::syncFile);
        if (!flushed.isEmpty()) {
            flushed.forEach(this::removeMark);
            syncFileSystems();
        }
        touched.forEach(this::syncNames);
        RawPath above = target;
        while (!above.isEmpty() && !above.equals(RawPath.ROOT)) {
            above = above.parent();
            syncAbove(above);
        }
    }

    /**
     * Returns null if the mode of a directory above it now denies access even to its owner: then everything has been
     * flushed.
     */
    private DirectoryCache.@Nullable Held open(RawPath directory) {
        try {
            return tree.acquire(directory);
        } catch (TransferException closed) {
            syncFileSystems();
            return null;
        }
    }

    private void syncFile(RawPath path) {
        try (DirectoryCache.Held parent = open(path.parent())) {
            if (parent == null) {
                return;
            }
            int fd = disk.open(parent.fd(), path.name(), Paths.O_RDONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK, 0);
            if (fd < 0) {
                // The file may be writable but not readable.
                syncFileSystems();
                return;
            }
            int synced = disk.sync(fd);
            disk.close(fd);
            if (synced < 0) {
                throw lost("flush", tree.shown(path), synced);
            }
        }
    }

    /**
     * Flushes a directory above the target, if this user can write to it and it is on one of the target's file systems:
     * an earlier run may have created the target or its parents.
     */
    private void syncAbove(RawPath directory) {
        int listed = root.open(directory, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        int fd = listed == -Errno.EACCES ? root.open(directory, Paths.O_PATH | Paths.O_DIRECTORY, 0) : listed;
        if (fd == -Errno.EACCES || fd == -Errno.ENOENT) {
            // Nothing was created there.
            return;
        }
        try (Descriptor above =
                new Descriptor(Errno.require(fd, FailureKind.TARGET, "flush directory", directory), tree.budget())) {
            FileStatus status = new FileStatus();
            Errno.require(FileMetadata.stat(above.fd(), status), FailureKind.TARGET, "look at", directory);
            if (fileSystems.containsKey(status.device) && Paths.access(above.fd(), RawPath.HERE, Paths.W_OK) == 0) {
                syncDirectory(above.fd(), "flush directory", directory);
            }
        }
    }

    @Override
    public void close() {
        fileSystems.values().forEach(Descriptor::close);
    }
}
