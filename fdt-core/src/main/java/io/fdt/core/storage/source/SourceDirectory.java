package io.fdt.core.storage.source;

import io.fdt.core.FailureKind;
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
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The regular files below a directory of this host that are to be copied. For one thread. */
final class SourceDirectory implements WatchedTree, AutoCloseable {
    private final RawPath top;
    private final RawPath prefix;
    private final PathFilter filter;
    private final TreeWatch watch;
    private final ByteBuffer buffer = DirectoryReader.newBuffer();
    private final FileStatus status = new FileStatus();

    /** @param prefix of the paths that rules are about */
    SourceDirectory(RawPath top, RawPath prefix, PathFilter filter) {
        this.top = top;
        this.prefix = prefix;
        this.filter = filter;
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
        watch.report(to);
    }

    @Override
    public void scan(RawPath directory, BiConsumer<RawPath, FileStatus.State> found) {
        if (directory.isEmpty()) {
            watch.onRescan();
        } else if (isExcluded(directory, true)) {
            return;
        }
        Deque<RawPath> directories = new ArrayDeque<>();
        directories.add(directory);
        while (!directories.isEmpty()) {
            RawPath next = directories.remove();
            // Before its files are read, so that none is missed.
            watch.add(next);
            scanOne(next, directories, found);
        }
    }

    private void scanOne(RawPath directory, Deque<RawPath> below, BiConsumer<RawPath, FileStatus.State> found) {
        int flags = Paths.O_RDONLY | Paths.O_DIRECTORY | (directory.isEmpty() ? 0 : Paths.O_NOFOLLOW);
        int fd = Paths.openat(Paths.AT_FDCWD, top.resolve(directory), flags, 0);
        if (fd < 0) {
            return;
        }
        DirectoryReader reader = new DirectoryReader(fd, buffer);
        try {
            for (RawPath name = reader.next(); name != null; name = reader.next()) {
                RawPath path = directory.resolve(name);
                if (FileMetadata.statat(fd, name, Paths.AT_SYMLINK_NOFOLLOW, status) != 0) {
                    continue;
                }
                if (status.isDirectory() && !filter.excludes(prefix.resolve(path), true)) {
                    below.add(path);
                } else if (isCopied(path)) {
                    found.accept(path, status.state());
                }
            }
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
        return watch.isComplete();
    }

    @Override
    public void close() {
        watch.close();
    }
}
