package io.fdt.core.storage.source;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Small files that one call of fdt's native library reads, each whole and to its own address. A lane adds files, lets
 * the {@link SourceTree} read them, and reuses this object. For one thread.
 */
public final class WholeFiles {
    /**
     * A larger file gains less than the waste at the end of a block, which stays empty if the next file does not fit.
     */
    private static final int SIZE_MAX = 32 * 1024;

    private static final int FILES_MAX = 128;
    private static final int PATHS_BYTES = 16 * 1024;

    // The layout of struct whole_file.
    private static final int PATH = 0;
    private static final int INTO = 8;
    private static final int SIZE = 16;
    private static final int SECONDS = 24;
    private static final int NANOS = 32;
    private static final int FILE_BYTES = 40;

    private final @Nullable FileEntry[] entries = new FileEntry[FILES_MAX];
    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(FILES_MAX * FILE_BYTES + PATHS_BYTES).order(ByteOrder.nativeOrder());
    private final long address = Libc.addressOf(memory);
    private int count;

    /** Whether an entry's data can be read in this way at all. */
    public static boolean suit(FileEntry entry) {
        return entry.kind() == Kind.FILE
                && entry.range() == null
                && !entry.sparse()
                && entry.sizeBytes() > 0
                && entry.sizeBytes() <= SIZE_MAX;
    }

    public void clear() {
        count = 0;
        memory.position(FILES_MAX * FILE_BYTES);
    }

    public int count() {
        return count;
    }

    public FileEntry entry(int index) {
        FileEntry entry = entries[index];
        if (index >= count || entry == null) {
            throw new IndexOutOfBoundsException(index);
        }
        return entry;
    }

    public long into(int index) {
        return memory.getLong(Objects.checkIndex(index, count) * FILE_BYTES + INTO);
    }

    /**
     * Adds a suitable entry.
     *
     * @param into address of memory with the length of the file
     * @return false if there is no room for it
     */
    public boolean add(FileEntry entry, long into) {
        RawPath path = entry.path();
        if (count == FILES_MAX || memory.remaining() <= path.lengthBytes()) {
            return false;
        }
        int file = count * FILE_BYTES;
        memory.putLong(file + PATH, address + memory.position());
        memory.putLong(file + INTO, into);
        memory.putLong(file + SIZE, entry.sizeBytes());
        memory.putLong(file + SECONDS, entry.modifiedSeconds());
        memory.putInt(file + NANOS, entry.modifiedNanos());
        path.putTo(memory);
        memory.put((byte) 0);
        entries[count++] = entry;
        return true;
    }

    /** Reads the first files, whose paths are relative to the directory; returns how many were read, in order. */
    int read(int dirFd, int first) {
        return NativeCode.readWhole(dirFd, address, Math.min(first, count));
    }
}
