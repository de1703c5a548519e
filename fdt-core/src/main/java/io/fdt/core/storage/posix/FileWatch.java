package io.fdt.core.storage.posix;

import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a file may have changed: its content, mode or name, or the directory that contains it, with other files
 * there. Uses inotify, and polls the file only where inotify misses changes: on a file system that other hosts change,
 * behind a symbolic link, and while the directory does not exist. For one thread.
 */
public final class FileWatch implements AutoCloseable {
    private static final long POLL_MS = 250;

    private static final int IN_EITHER = Inotify.IN_ATTRIB | Inotify.IN_DELETE_SELF | Inotify.IN_MOVE_SELF;
    private static final int IN_FILES = Inotify.IN_MOVED_FROM
            | Inotify.IN_MOVED_TO
            | Inotify.IN_CREATE
            | Inotify.IN_DELETE
            | Inotify.IN_CLOSE_WRITE;
    private static final int NOT_WATCHED = -1;
    private static final int READ_BYTES = 4096;

    private final @Nullable Path file;
    private final Inotify inotify = new Inotify(READ_BYTES);

    private int directoryWatch = NOT_WATCHED;
    private int fileWatch = NOT_WATCHED;

    /** @param file null if there is none to watch */
    public FileWatch(@Nullable Path file) {
        this.file = file == null ? null : file.toAbsolutePath();
    }

    /**
     * Returns when the file may have changed since the last call, the descriptor is readable, or this time has passed;
     * at once if this call had to begin to watch a file or directory, which may have changed before.
     */
    public void await(int descriptor, long timeoutMs) {
        int directoryBefore = directoryWatch;
        int fileBefore = fileWatch;
        boolean complete = file == null || watch(file);
        if (complete && (directoryWatch != directoryBefore || fileWatch != fileBefore)) {
            return;
        }
        long limitMs = Math.min(timeoutMs, complete ? Integer.MAX_VALUE : POLL_MS);
        // Whatever it was, the caller looks at the file.
        inotify.await(descriptor, limitMs);
    }

    /** Watches what has these paths by now; returns whether every change will be reported. */
    private boolean watch(Path path) {
        RawPath directoryPath = RawPath.of(path.resolveSibling("."));
        RawPath filePath = RawPath.of(path);
        // The same file gets the same number again.
        directoryWatch = watch(directoryPath, IN_EITHER | IN_FILES, directoryWatch);
        fileWatch = watch(filePath, IN_EITHER | Inotify.IN_MODIFY, fileWatch);
        boolean exists = fileWatch >= 0;
        return directoryWatch >= 0
                && (exists || fileWatch == -Errno.ENOENT)
                && FileSystemSpace.isChangedHereOnly(exists ? filePath : directoryPath)
                && !Files.isSymbolicLink(path)
                && !isBehindLink(path);
    }

    /** Whether a directory above the file is a symbolic link, whose replacement inotify does not report. */
    private static boolean isBehindLink(Path path) {
        Path directory = path.getParent();
        try {
            return directory != null && !directory.toRealPath().equals(directory);
        } catch (IOException unknown) {
            return true;
        }
    }

    private int watch(RawPath path, int events, int before) {
        int now = inotify.add(path, events);
        if (before >= 0 && now != before) {
            inotify.remove(before);
        }
        return now;
    }

    @Override
    public void close() {
        inotify.close();
    }
}
