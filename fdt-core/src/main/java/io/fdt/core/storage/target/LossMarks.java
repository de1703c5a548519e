package io.fdt.core.storage.target;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.LossMark;
import io.fdt.core.storage.partial.UnflushedMark;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The marks by which runs inform later ones about data that may be lost: those in the target, above it up to the root,
 * and in the directories below that the session opens; an earlier run may have had another of these as its target.
 * Thread-safe.
 */
final class LossMarks implements AutoCloseable {
    /** Marks of files that were not flushed stay where a session finds more of them than this. */
    private static final int REMOVED_MAX = 64;

    private final Disk disk;
    private final Budget budget;
    private final int baseFd;
    private final long baseDevice;
    private final List<Found> above = new ArrayList<>();
    private final Map<RawPath, Found> below = new ConcurrentHashMap<>();
    /** Those of this boot. */
    private final List<Unflushed> unflushed = new ArrayList<>();

    private volatile boolean severalFileSystems;
    private @Nullable UnflushedMark own;
    private boolean ownIsSet;

    /** @param stillUnflushed a mark of another boot that could not be replaced by a loss mark */
    private record Found(LossMark loss, UnflushedMark.@Nullable Content stillUnflushed) {
        boolean covers(FileStatus there, boolean isRead) {
            return loss.covers(there, isRead)
                    || (stillUnflushed != null && !isRead && there.changedSeconds >= stillUnflushed.sinceSeconds());
        }
    }

    /** A directory with files that are not flushed, which is held open. */
    record Unflushed(Descriptor directory, UnflushedMark.Content content) {}

    /**
     * @param target the directory, relative to the root
     * @param baseFd the directory, which stays open
     */
    LossMarks(Disk disk, Root root, RawPath target, int baseFd) {
        this.disk = disk;
        this.budget = root.budget();
        this.baseFd = baseFd;
        this.baseDevice = deviceOf(baseFd);
        RawPath directory = target;
        while (!directory.isEmpty() && !directory.equals(RawPath.ROOT)) {
            directory = directory.parent();
            int fd = root.open(directory, Paths.O_PATH | Paths.O_DIRECTORY, 0);
            if (fd >= 0) {
                try (Descriptor open = new Descriptor(fd, budget)) {
                    Found found = look(open.fd());
                    if (found != null) {
                        above.add(found);
                    }
                }
            }
        }
        keep(RawPath.EMPTY, baseFd);
    }

    private static long deviceOf(int dirFd) {
        FileStatus status = new FileStatus();
        Errno.require(FileMetadata.stat(dirFd, status), FailureKind.TARGET, "look at", RawPath.EMPTY);
        return status.device;
    }

    /** Called after a directory of the target was opened. */
    void onOpened(RawPath path, int dirFd) {
        severalFileSystems |= deviceOf(dirFd) != baseDevice;
        if (!path.isEmpty() && !below.containsKey(path)) {
            keep(path, dirFd);
        }
    }

    /** Whether the session has opened directories on another file system than that of the target. */
    boolean hasSeveralFileSystems() {
        return severalFileSystems;
    }

    private void keep(RawPath path, int dirFd) {
        Found found = look(dirFd);
        if (found != null) {
            below.put(path, found);
        }
    }

    private @Nullable Found look(int dirFd) {
        LossMark loss = new LossMark(disk, dirFd);
        UnflushedMark.Content left = UnflushedMark.read(disk, dirFd);
        if (left != null) {
            if (left.boot().equals(disk.bootId())) {
                addUnflushed(dirFd, left);
                left = null;
            } else if (UnflushedMark.replace(budget, disk, dirFd, left, loss)) {
                loss = new LossMark(disk, dirFd);
                left = null;
            }
        }
        return loss.isFound() || left != null ? new Found(loss, left) : null;
    }

    private synchronized void addUnflushed(int dirFd, UnflushedMark.Content content) {
        int fd = unflushed.size() < REMOVED_MAX && budget.hasSpare(Resource.DESCRIPTORS, 1)
                ? Paths.openat(dirFd, RawPath.HERE, Paths.O_RDONLY | Paths.O_DIRECTORY, 0)
                : -1;
        if (fd >= 0) {
            unflushed.add(new Unflushed(new Descriptor(fd, budget), content));
        }
    }

    /**
     * Whether an existing file may have lost data.
     *
     * @param file its path in the target
     * @param isRead whether its content is compared before it is kept
     */
    boolean mayBeLost(RawPath file, FileStatus there, boolean isRead) {
        if (above.isEmpty() && below.isEmpty()) {
            return false;
        }
        RawPath directory = file;
        do {
            directory = directory.parent();
            Found found = below.get(directory);
            if (found != null && found.covers(there, isRead)) {
                return true;
            }
        } while (!directory.isEmpty());
        return above.stream().anyMatch(found -> found.covers(there, isRead));
    }

    void onFlushFailed() {
        new LossMark(disk, baseFd).leave();
    }

    /**
     * Called before a file that is not flushed gets its name. Returns false if the directory cannot be marked; then the
     * file must be flushed.
     */
    synchronized boolean markUnflushed() {
        if (!ownIsSet) {
            ownIsSet = true;
            own = UnflushedMark.set(budget, disk, baseFd);
        }
        UnflushedMark mark = own;
        return mark != null && mark.keepTime() && (!severalFileSystems || mark.spread());
    }

    /** Returns the directories with files that are not flushed and that no run is writing just now. */
    synchronized List<Unflushed> unflushed() {
        return unflushed.stream()
                .filter(each -> UnflushedMark.isUnused(budget, disk, each.directory.fd(), each.content))
                .toList();
    }

    /** Called after everything below the directories that {@link #unflushed} returned was flushed. */
    void onFlushed(List<Unflushed> flushed) {
        flushed.forEach(each -> UnflushedMark.remove(budget, disk, each.directory.fd(), each.content));
    }

    @Override
    public synchronized void close() {
        unflushed.forEach(each -> each.directory.close());
        unflushed.clear();
        if (own != null) {
            own.close();
        }
    }
}
