package io.fdt.core.storage.target;

import io.fdt.core.basic.NewFile;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.EntryCodec;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The directories of a session with their final metadata, read from the last to the first, so that children come before
 * parents. Holds one page in memory. Earlier pages are in a temporary file without a name, so that any number of
 * directories needs only a bounded part of the heap. Of each path, stores only the part that differs from the next one.
 * For one thread.
 */
final class DirectoryLog implements AutoCloseable {
    /** Enough for about fifteen million directories with ordinary names. */
    static final long MAX_BYTES = 1L << 30;

    private static final int PAGE_BYTES = 64 * 1024;
    /** After the rest of the path and the entry: the numbers of their bytes, and of those shared with the next path. */
    private static final int FIXED_BYTES = 2 + 2 + 2 + 1;

    private final long maxBytes;
    private final Budget budget;
    private long filedBytes;
    /** In the file, a page ends with its number of bytes in use. */
    private final ByteBuffer page = ByteBuffer.allocate(PAGE_BYTES);

    private @Nullable RandomAccessFile file;
    private long filedPages;
    private @Nullable Directory last;

    /** @param hasMode whether it gets the mode of its metadata */
    record Directory(RawPath path, EntryMetadata metadata, boolean hasMode) {}

    /**
     * @param maxBytes the limit for the temporary file
     * @param budget charged with its pages
     */
    DirectoryLog(long maxBytes, Budget budget) {
        this.maxBytes = maxBytes;
        this.budget = budget;
    }

    /** @throws TransferException LIMIT, if there are too many to remember: the session cannot be completed */
    void add(Directory next) {
        if (last != null) {
            append(last, next.path.toBytes());
        }
        last = next;
    }

    private void append(Directory directory, byte[] nextPath) {
        byte[] path = directory.path.toBytes();
        int mismatch = Arrays.mismatch(path, nextPath);
        int shared = mismatch < 0 ? path.length : mismatch;
        int rest = path.length - shared;
        EntryMetadata metadata = directory.metadata.withoutAttributes();
        byte[] entry = EntryCodec.encode(new FileEntry(RawPath.EMPTY, Kind.DIRECTORY, 0, metadata, false, null));
        if (page.remaining() < rest + entry.length + FIXED_BYTES + Integer.BYTES) {
            filePage();
        }
        page.put(path, shared, rest)
                .put(entry)
                .putChar((char) rest)
                .putChar((char) entry.length)
                .putChar((char) shared)
                .put((byte) (directory.hasMode ? 1 : 0));
    }

    private void filePage() {
        if ((filedPages + 1) * PAGE_BYTES > maxBytes) {
            throw Cause.LIMIT
                    .advise("copy in parts")
                    .failure("there are more directories than a session can remember (" + maxBytes + " bytes)");
        }
        budget.take(Resource.DISK, PAGE_BYTES);
        filedBytes += PAGE_BYTES;
        try {
            RandomAccessFile filed = file == null ? open() : file;
            page.putInt(PAGE_BYTES - Integer.BYTES, page.position());
            filed.seek(filedPages * PAGE_BYTES);
            filed.write(page.array());
        } catch (IOException failure) {
            throw Cause.LIMIT.failure(
                    "cannot remember so many directories in " + System.getProperty("java.io.tmpdir") + ": "
                            + failure.getMessage(),
                    failure);
        }
        filedPages++;
        page.clear();
    }

    private RandomAccessFile open() throws IOException {
        budget.takeLasting(Resource.DESCRIPTORS);
        try {
            RandomAccessFile opened = NewFile.withoutName("fdt-directories");
            file = opened;
            return opened;
        } finally {
            if (file == null) {
                budget.giveBack(Resource.DESCRIPTORS);
            }
        }
    }

    /** Visits the directories from the last to the first. Nothing may be added afterwards. */
    void forEachBackwards(Consumer<Directory> visitor) {
        Directory at = last;
        while (at != null) {
            visitor.accept(at);
            at = before(at.path.toBytes());
        }
    }

    private @Nullable Directory before(byte[] nextPath) {
        if (page.position() == 0 && !readPage()) {
            return null;
        }
        int fixed = page.position() - FIXED_BYTES;
        int rest = page.getChar(fixed);
        byte[] entry = new byte[page.getChar(fixed + 2)];
        int shared = page.getChar(fixed + 4);
        boolean hasMode = page.get(fixed + 6) != 0;
        int start = fixed - entry.length - rest;
        byte[] path = Arrays.copyOf(nextPath, shared + rest);
        page.get(start, path, shared, rest).get(start + rest, entry).position(start);
        try {
            return new Directory(RawPath.ofBytes(path), EntryCodec.decode(entry).metadata(), hasMode);
        } catch (IOException damaged) {
            throw unreadable(damaged);
        }
    }

    private static TransferException unreadable(IOException failure) {
        return Cause.IO_ERROR.failure("cannot read the list of directories: " + failure.getMessage(), failure);
    }

    private boolean readPage() {
        RandomAccessFile filed = file;
        if (filed == null || filedPages == 0) {
            return false;
        }
        filedPages--;
        try {
            filed.seek(filedPages * PAGE_BYTES);
            filed.readFully(page.array());
        } catch (IOException failure) {
            throw unreadable(failure);
        }
        page.position(page.getInt(PAGE_BYTES - Integer.BYTES));
        return true;
    }

    @Override
    public void close() {
        RandomAccessFile open = file;
        if (open != null) {
            file = null;
            try {
                open.close();
            } catch (IOException gone) {
                // It is no longer needed.
            }
            budget.giveBack(Resource.DESCRIPTORS);
        }
        budget.give(Resource.DISK, filedBytes);
        filedBytes = 0;
    }
}
