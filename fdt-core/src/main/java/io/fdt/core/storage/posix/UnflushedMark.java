package io.fdt.core.storage.posix;

import io.fdt.core.basic.Word;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Marks a file that a run gives its name without flushing it, in the file itself: an extended attribute with the
 * kernel's boot id, which stays with the file wherever it is moved or linked, until a run has flushed it. A file system
 * may make length, time and name of a file durable before its data: after a power failure such a file looks complete
 * and contains zeros.
 *
 * <p>The mark is not flushed. It does not have to be: file systems with a journal, and those that write trees, make
 * changes of metadata durable in their order, and the mark is set before the name. Thread-safe.
 */
public final class UnflushedMark {
    private static final int LENGTH_BYTES = 16;
    private static final int OWNER_WRITE = 0200;
    private static final ThreadLocal<ByteBuffer> VALUE =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(LENGTH_BYTES));

    private UnflushedMark() {}

    /** What is known about the data of a file. */
    public enum Data {
        /** No run has left a mark. */
        UNMARKED,
        /** It is there, but a power failure may take it. */
        UNFLUSHED,
        /** This machine has started again since, or another one wrote it: it may be lost. */
        DOUBTFUL
    }

    /**
     * Returns what the mark of a file says. The mark of a file that this user must not read is not seen.
     *
     * @param name in the directory; if empty, the descriptor is that of the file
     */
    public static Data read(Disk disk, int dirFd, RawPath name) {
        ByteBuffer value = VALUE.get();
        int length = disk.getAttribute(dirFd, name, Attribute.UNFLUSHED, Libc.addressOf(value), LENGTH_BYTES);
        if (AttributeReader.isNone(length) || length == -Errno.EACCES || length == -Errno.EPERM) {
            return Data.UNMARKED;
        }
        return length == LENGTH_BYTES && new UUID(value.getLong(0), value.getLong(8)).equals(disk.bootId())
                ? Data.UNFLUSHED
                : Data.DOUBTFUL;
    }

    /** Returns what the mark of a file says, as an attribute of its entry; nothing without a mark. */
    public static List<Attribute> shown(int dirFd, RawPath name) {
        Data data = read(Disk.KERNEL, dirFd, name);
        return data == Data.UNMARKED
                ? List.of()
                : List.of(new Attribute(Attribute.UNFLUSHED, Word.of(data).getBytes(StandardCharsets.US_ASCII)));
    }

    /** Marks an open file. Returns false if that is impossible; then it must be flushed. */
    public static boolean set(Disk disk, int fd) {
        UUID boot = disk.bootId();
        ByteBuffer value =
                VALUE.get().putLong(0, boot.getMostSignificantBits()).putLong(8, boot.getLeastSignificantBits());
        return disk.setAttribute(fd, Attribute.UNFLUSHED, Libc.addressOf(value), LENGTH_BYTES) == 0;
    }

    /** Called after the file was flushed. If this user must not change the file, the mark stays. */
    public static void remove(Disk disk, int fd, FileStatus there) {
        int removed = disk.removeAttribute(fd, Attribute.UNFLUSHED);
        if (removed == -Errno.EACCES && disk.setMode(fd, there.mode() | OWNER_WRITE) == 0) {
            disk.removeAttribute(fd, Attribute.UNFLUSHED);
            disk.setMode(fd, there.mode());
        }
    }
}
