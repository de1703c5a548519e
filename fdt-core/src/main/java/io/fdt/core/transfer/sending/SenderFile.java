package io.fdt.core.transfer.sending;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.DescriptorLimit;
import io.fdt.core.storage.source.PipeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One entry on the sending side, from its page to its settlement. A file is opened by the first lane that reads it and
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
    private volatile boolean resumed;
    private volatile boolean comparing;
    private boolean decided;
    private volatile long sizeBytes;

    /**
     * @param opener throws a TransferException that says why the file cannot be read as it was listed
     * @param idle of the session's files, those that are open while no lane reads them
     */
    SenderFile(int id, FileEntry entry, Function<FileEntry, SourceFile> opener, AtomicInteger idle) {
        this.idle = idle;
        this.id = id;
        this.entry = entry;
        this.opener = opener;
        this.sizeBytes = entry.sizeBytes();
    }

    /** Bytes that come from somewhere once and in order, so that their end is known only when it is there. */
    synchronized boolean isPipe() {
        return source instanceof PipeSource;
    }

    /**
     * The receiver decides about it; false if it has decided already, and not for a comparison. The session's thread.
     */
    boolean decide() {
        boolean first = !decided || comparing;
        decided = true;
        return first;
    }

    /** Some of it was at the target already. */
    void markResumed() {
        resumed = true;
    }

    boolean isResumed() {
        return resumed;
    }

    /** Only its digests are wanted for now. */
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
            // The receiver may never want the rest of any number of files.
            closeWanted |= idle.incrementAndGet() > IDLE_MAX && !isPipe();
            closeIfUnused();
        }
    }

    /** As soon as no lane reads it any more; it is opened again if it is needed again. */
    @Override
    public synchronized void close() {
        closeWanted = true;
        closeIfUnused();
    }

    /** Nobody needs it again: a lane that has claimed some of it opens it for that alone. */
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
