package io.fdt.core.storage.source;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.Paths;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the names in one open directory, a buffer at a time, so that its size does not matter. Can release its
 * descriptor and buffer between two names and continue later with new ones. For one thread.
 */
public class DirectoryReader {
    /** Types of entries. Not every file system knows them. */
    public static final int UNKNOWN = 0;

    public static final int DIRECTORY = 4;

    static final int BUFFER_BYTES = 32 * 1024;
    private static final int INODE = 0;
    private static final int NEXT_COOKIE = 8;
    private static final int RECORD_LENGTH = 16;
    private static final int TYPE = 18;
    private static final int NAME = 19;

    private @Nullable Descriptor directory;
    private @Nullable ByteBuffer buffer;
    private int position;
    private int type;
    private int limit;
    private long cookie;
    private int outcome;

    /** Owns the descriptor, and borrows the buffer until {@link #suspend}. */
    public DirectoryReader(Descriptor directory, ByteBuffer buffer) {
        this.directory = directory;
        this.buffer = buffer;
    }

    public static ByteBuffer newBuffer() {
        return ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.nativeOrder());
    }

    final int fd() {
        Descriptor open = directory;
        if (open == null) {
            throw new IllegalStateException("directory reader is suspended");
        }
        return open.fd();
    }

    final boolean isSuspended() {
        return buffer == null;
    }

    /** The next name other than {@code .} and {@code ..}; null at the end, or if reading fails. */
    public @Nullable RawPath next() {
        ByteBuffer records = buffer;
        if (records == null) {
            throw new IllegalStateException("directory reader is suspended");
        }
        while (true) {
            if (position >= limit) {
                int count = Paths.getdents(fd(), Libc.addressOf(records), records.capacity());
                if (count <= 0) {
                    outcome = count;
                    return null;
                }
                position = 0;
                limit = count;
            }
            int record = position;
            position += records.getShort(record + RECORD_LENGTH) & 0xFFFF;
            cookie = records.getLong(record + NEXT_COOKIE);
            if (records.getLong(record + INODE) != 0 && !isDots(records, record + NAME)) {
                type = records.get(record + TYPE);
                return nameAt(records, record + NAME);
            }
        }
    }

    /** The type of the last name, for which the file itself is not looked at. */
    public final int type() {
        return type;
    }

    /** Call it when there is no further name: 0 at the end of the directory, or the negated errno. */
    int outcome() {
        return outcome;
    }

    private static boolean isDots(ByteBuffer records, int index) {
        return records.get(index) == '.'
                && (records.get(index + 1) == 0 || (records.get(index + 1) == '.' && records.get(index + 2) == 0));
    }

    private static RawPath nameAt(ByteBuffer records, int index) {
        int end = index;
        while (records.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - index];
        records.get(index, bytes);
        return RawPath.ofBytes(bytes);
    }

    /** Closes the descriptor and returns the buffer. */
    public final @Nullable ByteBuffer suspend() {
        Descriptor open = directory;
        if (open != null) {
            open.close();
            directory = null;
        }
        ByteBuffer spare = buffer;
        buffer = null;
        return spare;
    }

    /** Gives up what is held of the directory; nothing may be read afterwards. */
    void forget() {}

    /**
     * Continues after the last returned name. Returns 0, or the negated errno; takes over the descriptor in either
     * case.
     */
    final int resume(Descriptor again, ByteBuffer newBuffer) {
        directory = again;
        buffer = newBuffer;
        position = 0;
        limit = 0;
        long sought = cookie == 0 ? 0 : FileData.seek(again.fd(), cookie, FileData.SEEK_SET);
        return sought < 0 ? (int) sought : 0;
    }
}
