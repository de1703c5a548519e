package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a file may have changed: its content, mode or name, or the directory that contains it. Uses inotify, and
 * polls the file only where inotify misses changes: on a file system that other hosts change, behind a symbolic link,
 * and while the directory does not exist. For one thread.
 */
public final class FileWatch implements AutoCloseable {
    private static final long POLL_MS = 250;

    private static final long SYS_INOTIFY_INIT1 = Kernel.ARM ? 26 : 294;
    private static final long SYS_INOTIFY_ADD_WATCH = Kernel.ARM ? 27 : 254;
    private static final long SYS_INOTIFY_RM_WATCH = Kernel.ARM ? 28 : 255;

    private static final int IN_MODIFY = 0x2;
    private static final int IN_ATTRIB = 0x4;
    private static final int IN_MOVED_FROM = 0x40;
    private static final int IN_MOVED_TO = 0x80;
    private static final int IN_CREATE = 0x100;
    private static final int IN_DELETE = 0x200;
    private static final int IN_DELETE_SELF = 0x400;
    private static final int IN_MOVE_SELF = 0x800;
    private static final int IN_EITHER = IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
    private static final int IN_NAMES = IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE;
    private static final int NOT_WATCHED = -1;

    private static final int POLLFD_BYTES = 8;
    private static final short POLLIN = 1;
    private static final int READ_BYTES = 4096;

    private final @Nullable Path file;
    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(2 * POLLFD_BYTES + READ_BYTES).order(ByteOrder.nativeOrder());
    /** Negative if this user may have no more of them. */
    private final int inotify;

    private int directoryWatch = NOT_WATCHED;
    private int fileWatch = NOT_WATCHED;

    /** @param file null if there is none to watch */
    public FileWatch(@Nullable Path file) {
        this.file = file == null ? null : file.toAbsolutePath();
        this.inotify = (int) Kernel.once(SYS_INOTIFY_INIT1, Paths.O_CLOEXEC | Paths.O_NONBLOCK, 0, 0, 0, 0);
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
        memory.putInt(0, descriptor).putShort(4, POLLIN).putShort(6, (short) 0);
        memory.putInt(POLLFD_BYTES, inotify).putShort(POLLFD_BYTES + 4, POLLIN).putShort(POLLFD_BYTES + 6, (short) 0);
        long address = Libc.addressOf(memory);
        Libc.poll(address, 2, (int) limitMs);
        if (memory.getShort(POLLFD_BYTES + 6) != 0) {
            // Whatever it was, the caller looks at the file.
            Libc.read(inotify, address + 2 * POLLFD_BYTES, READ_BYTES);
        }
    }

    /** Watches what has these paths by now; returns whether every change will be reported. */
    private boolean watch(Path path) {
        RawPath directoryPath = RawPath.of(path.resolveSibling("."));
        RawPath filePath = RawPath.of(path);
        // The same file gets the same number again.
        directoryWatch = watch(directoryPath, IN_EITHER | IN_NAMES, directoryWatch);
        fileWatch = watch(filePath, IN_EITHER | IN_MODIFY, fileWatch);
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
        Scratch scratch = Scratch.get();
        int now = scratch.putPath(path)
                ? (int) Kernel.once(SYS_INOTIFY_ADD_WATCH, inotify, scratch.path(), events, 0, 0)
                : -Errno.ENAMETOOLONG;
        if (before >= 0 && now != before) {
            // Fails if the file no longer exists.
            Kernel.once(SYS_INOTIFY_RM_WATCH, inotify, before, 0, 0, 0);
        }
        return now;
    }

    @Override
    public void close() {
        Descriptor.closeFd(inotify);
    }
}
