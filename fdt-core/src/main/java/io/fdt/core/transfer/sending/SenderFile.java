package io.fdt.core.transfer.sending;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.DescriptorLimit;
import io.fdt.core.storage.source.PipeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An entry on the sending side, from its page to its settlement. A file is opened by the first lane that reads it and
 * shared by the others; a file of one chunk is closed as soon as it was read. Thread-safe.
 */
final class SenderFile implements AutoCloseable {
    private static final int IDLE_MAX = DescriptorLimit.ofSession(256);

    final int id;
    final FileEntry entry;
    private final Function<FileEntry, SourceFile> opener;
    private final AtomicInteger idle;
    private @Nullable SourceFile source;
    private boolean closeWanted;
    private boolean ended;
    private int readers;
    private volatile long resumedBytes;
    /** What is acknowledged. For the session's thread. */
    long movedBytes;

    private volatile boolean comparing;
    private boolean decided;
    private volatile long sizeBytes;

    /**
     * @param opener throws a TransferException with the reason if the file cannot be read as it was listed
     * @param idle the number of the session's files that are open while no lane reads them
     */
    SenderFile(int id, FileEntry entry, Function<FileEntry, SourceFile> opener, AtomicInteger idle) {
        this.idle = idle;
        this.id = id;
        this.entry = entry;
        this.opener = opener;
        this.sizeBytes = entry.sizeBytes();
    }

    /** A source whose bytes arrive once and in order, and whose length is known only at its end. */
    synchronized boolean isPipe() {
        return source instanceof PipeSource;
    }

    /**
     * The receiver decides about it; false if it has already decided, except for a comparison. On the session's thread.
     */
    boolean decide() {
        boolean first = !decided || comparing;
        decided = true;
        return first;
    }

    /** A part of it was already at the target. */
    void resume(long bytes) {
        resumedBytes = bytes;
    }

    long resumedBytes() {
        return resumedBytes;
    }

    /** Only its digests are needed for now. */
    boolean isComparing() {
        return comparing;
    }

    void setComparing(boolean newComparing) {
        comparing = newComparing;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    void setSizeBytes(long newSizeBytes) {
        sizeBytes = newSizeBytes;
    }

    /** The opened source, for a lane that reads a chunk; {@link #release} it afterwards. */
    synchronized SourceFile acquire() {
        SourceFile open = source;
        if (open == null) {
            open = opener.apply(entry);
            source = open;
        } else if (readers == 0) {
            idle.decrementAndGet();
        }
        closeWanted = ended;
        readers++;
        return open;
    }

    synchronized void release() {
        readers--;
        if (readers == 0 && source != null) {
            // The receiver may never need the rest of any number of files.
            closeWanted |= idle.incrementAndGet() > IDLE_MAX && !isPipe();
            closeIfUnused();
        }
    }

    /** Closes it as soon as no lane reads it; it is opened again if needed. */
    @Override
    public synchronized void close() {
        closeWanted = true;
        closeIfUnused();
    }

    /** It is not needed again: a lane that has claimed a chunk opens it for that chunk only. */
    synchronized void end() {
        ended = true;
        close();
    }

    private void closeIfUnused() {
        SourceFile open = source;
        if (closeWanted && readers == 0 && open != null) {
            source = null;
            idle.decrementAndGet();
            open.close();
        }
    }
}
