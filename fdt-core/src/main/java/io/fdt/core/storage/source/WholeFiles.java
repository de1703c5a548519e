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
 * Small files that are read in one call of fdt's own library, each whole and into its own place. A lane fills it, has
 * the {@link SourceTree} read it, and uses it again. One thread.
 */
public final class WholeFiles {
    /** A larger one gains less than its block loses, whose end stays empty when the next file does not fit. */
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

    /** Whether an entry's data may be read in this way at all. */
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
     * Adds an entry that suits.
     *
     * @param into address of as much memory as the file is long
     * @return false when there is no room for it
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

    /** Reads the first of them, whose paths are below the directory; how many could be read, in order. */
    int read(int dirFd, int first) {
        return NativeCode.readWhole(dirFd, address, Math.min(first, count));
    }
}
