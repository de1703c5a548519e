package io.fdt.core.storage.source;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Descriptor.Writers;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.TreeWatch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The regular files below a directory of this host that are to be copied. For one thread. */
final class SourceDirectory implements WatchedTree, AutoCloseable {
    private final RawPath top;
    private final RawPath prefix;
    private final PathFilter filter;
    private final NewFiles.Problems problems;
    private final TreeWatch watch;
    private final Map<RawPath, TransferException> unread = new HashMap<>();
    private final ByteBuffer buffer = DirectoryReader.newBuffer();
    private final FileStatus status = new FileStatus();
    /** Whether another scan may read what the last one could not. */
    private boolean interrupted;

    /** @param prefix of the paths that rules are about */
    SourceDirectory(RawPath top, RawPath prefix, PathFilter filter, NewFiles.Problems problems) {
        this.top = top;
        this.prefix = prefix;
        this.filter = filter;
        this.problems = problems;
        this.watch = new TreeWatch(top);
    }

    /** Throws SOURCE if there is no such directory, or it cannot be read. */
    void require() {
        int fd = Paths.openat(Paths.AT_FDCWD, top, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        Descriptor.closeFd(Errno.require(fd, FailureKind.SOURCE, "watch", top));
    }

    /** Waits until there is something to report, a descriptor is readable, or this time has passed. */
    void await(int wakeUp, long timeoutMs) {
        watch.await(wakeUp, timeoutMs);
    }

    @Override
    public void report(TreeWatch.Events to) {
        watch.report(to, unread.keySet());
    }

    @Override
    public void scan(RawPath directory, BiConsumer<RawPath, FileStatus.State> found) {
        if (directory.isEmpty()) {
            watch.onRescan();
            interrupted = false;
        } else if (isExcluded(directory, true)) {
            return;
        }
        Set<RawPath> before = Set.copyOf(unread.keySet());
        unread.keySet().removeIf(each -> each.relativeTo(directory) != null);
        Deque<RawPath> directories = new ArrayDeque<>();
        directories.add(directory);
        while (!directories.isEmpty()) {
            RawPath next = directories.remove();
            // Before its files are read, so that none is missed.
            watch.add(next);
            int outcome = scanOne(next, directories, found);
            if (outcome < 0 && (next.isEmpty() || !isGone(outcome))) {
                onUnreadable(next, -outcome, !before.contains(next));
            }
        }
        if (!watch.isWatched()) {
            problems.onFewWatches(watch.limit());
        }
    }

    private static boolean isGone(int outcome) {
        return outcome == -Errno.ENOENT || outcome == -Errno.ENOTDIR || outcome == -Errno.ELOOP;
    }

    private void onUnreadable(RawPath directory, int errno, boolean newly) {
        interrupted |= errno != Errno.EACCES && errno != Errno.ENAMETOOLONG;
        TransferException why = Errno.failure(FailureKind.SOURCE, "read directory", shown(directory), errno);
        unread.put(directory, why);
        if (newly) {
            problems.onUnreadable(why);
        }
    }

    private RawPath shown(RawPath directory) {
        return (directory.isEmpty() ? top : prefix.resolve(directory)).shortened();
    }

    /** Returns why directories could not be read at their last scan, by their paths for messages. */
    Map<RawPath, TransferException> unread() {
        unread.keySet()
                .removeIf(each -> !each.isEmpty()
                        && isGone(FileMetadata.statat(
                                Paths.AT_FDCWD, top.resolve(each), Paths.AT_SYMLINK_NOFOLLOW, status)));
        Map<RawPath, TransferException> shown = new HashMap<>();
        unread.forEach((directory, why) -> shown.put(shown(directory), why));
        return shown;
    }

    /** Returns a negated errno if some or all of the directory cannot be read. */
    private int scanOne(RawPath directory, Deque<RawPath> below, BiConsumer<RawPath, FileStatus.State> found) {
        int flags = Paths.O_RDONLY | Paths.O_DIRECTORY | (directory.isEmpty() ? 0 : Paths.O_NOFOLLOW);
        int fd = Paths.openat(Paths.AT_FDCWD, top.resolve(directory), flags, 0);
        if (fd < 0) {
            return fd;
        }
        int outcome = 0;
        DirectoryReader reader = new DirectoryReader(Descriptor.ofProcess(fd), buffer);
        try {
            for (RawPath name = reader.next(); name != null; name = reader.next()) {
                RawPath path = directory.resolve(name);
                int known = FileMetadata.statat(fd, name, Paths.AT_SYMLINK_NOFOLLOW, status);
                if (known != 0) {
                    outcome = isGone(known) ? outcome : known;
                    continue;
                }
                if (status.isDirectory() && !filter.excludes(prefix.resolve(path), true)) {
                    below.add(path);
                } else if (isCopied(path)) {
                    found.accept(path, status.state());
                }
            }
            return outcome == 0 ? reader.outcome() : outcome;
        } finally {
            reader.suspend();
        }
    }

    /** Whether the file in {@link #status} is one to copy, in a directory that is not excluded. */
    private boolean isCopied(RawPath file) {
        return status.isRegular()
                && !PartialNames.isReserved(file.name())
                && !filter.excludes(prefix.resolve(file), false)
                && filter.admits(status.sizeBytes, status.modifiedSeconds, status.modifiedNanos);
    }

    private boolean isExcluded(RawPath path, boolean directory) {
        RawPath parent = path.parent();
        return (!parent.isEmpty() && isExcluded(parent, true)) || filter.excludes(prefix.resolve(path), directory);
    }

    @Override
    public @Nullable Look look(RawPath file) {
        RawPath path = top.resolve(file);
        if (FileMetadata.statat(Paths.AT_FDCWD, path, Paths.AT_SYMLINK_NOFOLLOW, status) != 0
                || !isCopied(file)
                || isExcluded(file, false)) {
            return null;
        }
        int fd = Paths.openat(Paths.AT_FDCWD, path, Paths.O_RDONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK, 0);
        if (fd < 0) {
            // The copy reports why it cannot be read.
            return new Look(status.state(), Writers.UNKNOWN);
        }
        try {
            Writers writers = Descriptor.writers(fd);
            // Opening the file has asked its server for the current size and time.
            return FileMetadata.stat(fd, status) == 0 && status.isRegular() ? new Look(status.state(), writers) : null;
        } finally {
            Descriptor.closeFd(fd);
        }
    }

    @Override
    public boolean reportsAll() {
        return watch.isComplete() && !interrupted;
    }

    @Override
    public void close() {
        watch.close();
    }
}
