package io.fdt.core.storage.posix;

import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * Reports what happens to the files in directories, each of which is added on its own, by inotify. Paths are relative
 * to the top directory. For one thread.
 */
public final class TreeWatch implements AutoCloseable {
    private static final int EVENTS = Inotify.IN_CLOSE_WRITE
            | Inotify.IN_MOVED_TO
            | Inotify.IN_MOVED_FROM
            | Inotify.IN_CREATE
            | Inotify.IN_OPEN
            | Inotify.IN_ATTRIB
            | Inotify.IN_MOVE_SELF
            | Inotify.IN_ONLYDIR;
    /** Whoever reads such a directory learns the same. */
    private static final Set<Integer> UNREADABLE =
            Set.of(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.EACCES, Errno.ENAMETOOLONG);

    private static final int READ_BYTES = 64 << 10;
    private static final int NAME = 16;
    /** Whoever reads a directory opens it: an event of its own watch, and one of the watch above. */
    private static final int DIRECTORY_OPENED = Inotify.IN_OPEN | Inotify.IN_ISDIR;
    /** The kernel keeps 16,384 events unless told otherwise. */
    private static final int MAX_ADDED_UNREAD = 1_000;

    private static final int MAX_KEPT = 1_000_000;

    private final RawPath top;
    private final Inotify inotify = new Inotify(READ_BYTES);
    private final Map<Integer, RawPath> directories = new HashMap<>();
    /** Those that are not reported yet. */
    private final Deque<Event> kept = new ArrayDeque<>();

    private ByteBuffer events = ByteBuffer.allocate(0);
    private int addedUnread;
    private boolean complete = true;
    private boolean watched = true;

    private record Event(int watch, int mask, RawPath name) {}

    /** What {@link #report} calls. */
    public interface Events {
        /** A process of this host has closed the file after writing, or has given it this name. */
        void onClosed(RawPath file);

        /** The name is new. A process may have the file open for writing, which is then also reported as opened. */
        void onCreated(RawPath file);

        /** A process of this host has opened the file by this name, for reading or writing. */
        void onOpened(RawPath file);

        /** A directory has appeared, possibly with files in it, or may be readable now. It is not watched yet. */
        void onDirectory(RawPath directory);

        /** There were too many events, or the top directory is gone: anything may have happened. */
        void onLost();
    }

    public TreeWatch(RawPath top) {
        this.top = top;
    }

    /**
     * Watches a directory from now on; a link is followed only as the top directory. The caller may read each directory
     * once before the next {@link #report}, without a loss of events.
     */
    public void add(RawPath directory) {
        if (++addedUnread > MAX_ADDED_UNREAD) {
            drain();
        }
        RawPath path = top.resolve(directory);
        int watch = inotify.add(path, directory.isEmpty() ? EVENTS : EVENTS | Inotify.IN_DONT_FOLLOW);
        if (watch >= 0) {
            directories.put(watch, directory);
        }
        watched &= watch != -Errno.ENOSPC && watch != -Errno.EBADF;
        boolean unreadable = UNREADABLE.contains(-watch) && !directory.isEmpty();
        complete &= unreadable || (watch >= 0 && FileSystemSpace.isChangedHereOnly(path));
    }

    /** Before all directories are added again; those that are watched stay so. */
    public void onRescan() {
        complete = true;
        watched = true;
    }

    /** Whether the kernel has allowed a watch for each directory. */
    public boolean isWatched() {
        return watched;
    }

    /** The setting of the kernel that allows so few. */
    public String limit() {
        return inotify.isOpen() ? "max_user_watches" : "max_user_instances";
    }

    /**
     * Whether every change is reported: other hosts cannot change the files, and the kernel has allowed a watch for
     * each directory.
     */
    public boolean isComplete() {
        return complete;
    }

    /** Waits until there is something to {@link #report}, the descriptor is readable, or this time has passed. */
    public void await(int descriptor, long timeoutMs) {
        events = inotify.await(descriptor, kept.isEmpty() ? timeoutMs : 0);
    }

    private void drain() {
        addedUnread = 0;
        takeIn();
        do {
            await(-1, 0);
        } while (takeIn() && kept.size() < MAX_KEPT);
    }

    /** Returns whether there were events to take out of the buffer. */
    private boolean takeIn() {
        boolean some = events.hasRemaining();
        while (events.remaining() >= NAME) {
            int start = events.position();
            int mask = events.getInt(start + 4);
            byte[] padded = new byte[events.getInt(start + 12)];
            events.get(start + NAME, padded);
            events.position(start + NAME + padded.length);
            if ((mask & DIRECTORY_OPENED) != DIRECTORY_OPENED) {
                kept.add(new Event(events.getInt(start), mask, name(padded)));
            }
        }
        return some;
    }

    /** @param unread directories whose changed attributes are reported */
    public void report(Events to, Set<RawPath> unread) {
        takeIn();
        for (Event next = kept.poll(); next != null; next = kept.poll()) {
            report(next.watch, next.mask, next.name, to, unread);
        }
    }

    private void report(int watch, int mask, RawPath name, Events to, Set<RawPath> unread) {
        RawPath directory = directories.get(watch);
        if ((mask & Inotify.IN_Q_OVERFLOW) != 0) {
            to.onLost();
            return;
        }
        if (directory == null) {
            return;
        }
        if ((mask & (Inotify.IN_IGNORED | Inotify.IN_MOVE_SELF)) != 0) {
            if (directory.isEmpty()) {
                complete = false;
                to.onLost();
            }
            if ((mask & Inotify.IN_IGNORED) != 0) {
                directories.remove(watch);
            }
            return;
        }
        RawPath path = directory.resolve(name);
        if ((mask & Inotify.IN_ISDIR) == 0) {
            if ((mask & (Inotify.IN_CLOSE_WRITE | Inotify.IN_MOVED_TO)) != 0) {
                to.onClosed(path);
            } else if ((mask & Inotify.IN_CREATE) != 0) {
                to.onCreated(path);
            } else if ((mask & Inotify.IN_OPEN) != 0) {
                to.onOpened(path);
            }
        } else if ((mask & Inotify.IN_MOVED_FROM) != 0) {
            removeBelow(path);
        } else if ((mask & (Inotify.IN_MOVED_TO | Inotify.IN_CREATE)) != 0) {
            to.onDirectory(path);
        } else if ((mask & Inotify.IN_ATTRIB) != 0 && unread.contains(path)) {
            to.onDirectory(path);
        }
    }

    /** Watches follow a directory that is moved, but would report its files under the old name. */
    private void removeBelow(RawPath moved) {
        Iterator<Map.Entry<Integer, RawPath>> all = directories.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Integer, RawPath> each = all.next();
            if (each.getValue().relativeTo(moved) != null) {
                inotify.remove(each.getKey());
                all.remove();
            }
        }
    }

    /** The kernel pads names with NUL. */
    private static RawPath name(byte[] padded) {
        int end = 0;
        while (end < padded.length && padded[end] != 0) {
            end++;
        }
        return RawPath.ofBytes(Arrays.copyOf(padded, end));
    }

    @Override
    public void close() {
        inotify.close();
    }
}
