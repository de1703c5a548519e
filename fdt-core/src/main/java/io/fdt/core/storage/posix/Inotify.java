package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A queue of the kernel with the changes of watched files and directories, and a wait for them. For one thread. */
final class Inotify implements AutoCloseable {
    static final int IN_MODIFY = 0x2;
    static final int IN_ATTRIB = 0x4;
    static final int IN_CLOSE_WRITE = 0x8;
    static final int IN_OPEN = 0x20;
    static final int IN_MOVED_FROM = 0x40;
    static final int IN_MOVED_TO = 0x80;
    static final int IN_CREATE = 0x100;
    static final int IN_DELETE = 0x200;
    static final int IN_DELETE_SELF = 0x400;
    static final int IN_MOVE_SELF = 0x800;
    static final int IN_Q_OVERFLOW = 0x4000;
    static final int IN_IGNORED = 0x8000;
    static final int IN_ONLYDIR = 0x1000000;
    static final int IN_DONT_FOLLOW = 0x2000000;
    static final int IN_ISDIR = 0x40000000;

    private static final long SYS_INOTIFY_INIT1 = Kernel.ARM ? 26 : 294;
    private static final long SYS_INOTIFY_ADD_WATCH = Kernel.ARM ? 27 : 254;
    private static final long SYS_INOTIFY_RM_WATCH = Kernel.ARM ? 28 : 255;

    private static final int POLLFD_BYTES = 8;
    private static final short POLLIN = 1;

    private final ByteBuffer polled =
            ByteBuffer.allocateDirect(2 * POLLFD_BYTES).order(ByteOrder.nativeOrder());
    private final ByteBuffer events;
    /** Negative if this user may have no more of them. */
    private final int fd = (int) Kernel.once(SYS_INOTIFY_INIT1, Paths.O_CLOEXEC | Paths.O_NONBLOCK, 0, 0, 0, 0);

    /** @param bytes how much one wait returns at most; an event with a long name takes 272 */
    Inotify(int bytes) {
        events = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** Whether the kernel has such a queue for this process. */
    boolean isOpen() {
        return fd >= 0;
    }

    /** Returns the number of the watch, which the same file gets again; or the negated errno. */
    int add(RawPath path, int mask) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(path)
                ? (int) Kernel.once(SYS_INOTIFY_ADD_WATCH, fd, scratch.path(), mask, 0, 0)
                : -Errno.ENAMETOOLONG;
    }

    /** Does nothing if the watched file no longer exists. */
    void remove(int watch) {
        Kernel.once(SYS_INOTIFY_RM_WATCH, fd, watch, 0, 0, 0);
    }

    /**
     * Returns the {@code inotify_event} records of the queue, when there are any, the other descriptor is readable, or
     * the time has passed; there may be none. They are valid until the next call.
     */
    ByteBuffer await(int descriptor, long timeoutMs) {
        polled.putInt(0, descriptor).putShort(4, POLLIN).putShort(6, (short) 0);
        polled.putInt(POLLFD_BYTES, fd).putShort(POLLFD_BYTES + 4, POLLIN).putShort(POLLFD_BYTES + 6, (short) 0);
        Libc.poll(Libc.addressOf(polled), 2, (int) Math.min(timeoutMs, Integer.MAX_VALUE));
        long length =
                polled.getShort(POLLFD_BYTES + 6) == 0 ? 0 : Libc.read(fd, Libc.addressOf(events), events.capacity());
        return events.clear().limit((int) Math.max(0, length));
    }

    @Override
    public void close() {
        Descriptor.closeFd(fd);
    }
}
