package io.fdt.core.storage.target;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.LossMark;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The marks by which runs inform later ones about flushes that failed: those in the target, above it up to the root,
 * and in the directories below that the session opens; an earlier run may have had another of these as its target.
 * Thread-safe.
 */
final class LossMarks {
    private final Disk disk;
    private final int baseFd;
    private final long baseDevice;
    private final List<LossMark> above = new ArrayList<>();
    private final Map<RawPath, LossMark> below = new ConcurrentHashMap<>();
    private volatile boolean severalFileSystems;
    /** By the clock that files get their times from, which may be set back later. */
    private final long startedMs = System.currentTimeMillis();

    private final long startedNanos = System.nanoTime();

    /**
     * @param target the directory, relative to the root
     * @param baseFd the directory, which stays open
     */
    LossMarks(Disk disk, Root root, RawPath target, int baseFd) {
        this.disk = disk;
        this.baseFd = baseFd;
        this.baseDevice = deviceOf(baseFd);
        RawPath directory = target;
        while (!directory.isEmpty() && !directory.equals(RawPath.ROOT)) {
            directory = directory.parent();
            int fd = root.open(directory, Paths.O_PATH | Paths.O_DIRECTORY, 0);
            if (fd >= 0) {
                try (Descriptor open = new Descriptor(fd, root.budget())) {
                    LossMark mark = new LossMark(disk, open.fd());
                    if (mark.isFound()) {
                        above.add(mark);
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
        LossMark mark = new LossMark(disk, dirFd);
        if (mark.isFound()) {
            below.put(path, mark);
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
            @Nullable LossMark mark = below.get(directory);
            if (mark != null && mark.covers(there, isRead)) {
                return true;
            }
        } while (!directory.isEmpty());
        return above.stream().anyMatch(mark -> mark.covers(there, isRead));
    }

    void onFlushFailed() {
        long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
        new LossMark(disk, baseFd).leave(startedMs + elapsedMs);
    }
}
