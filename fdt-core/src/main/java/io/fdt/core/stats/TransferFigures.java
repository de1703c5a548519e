package io.fdt.core.stats;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The running totals of a transfer. Any thread may add, any thread may read. */
public final class TransferFigures {
    public final AtomicLong bytesTotal = new AtomicLong();
    public final AtomicLong bytesDone = new AtomicLong();
    /** Acknowledged as durable in this session. */
    public final AtomicLong bytesMoved = new AtomicLong();

    public final AtomicLong bytesInPlace = new AtomicLong();
    public final AtomicLong bytesResumed = new AtomicLong();
    public final AtomicLong bytesResent = new AtomicLong();
    public final AtomicLong filesTotal = new AtomicLong();
    public final AtomicLong filesDone = new AtomicLong();
    public final AtomicLong filesFailed = new AtomicLong();
    public final AtomicLong filesSkipped = new AtomicLong();
    /** The source did not have them. In a dry run: those that would be deleted. */
    public final AtomicLong filesDeleted = new AtomicLong();
    /** In a dry run: those that would be new. */
    public final AtomicLong filesToCopy = new AtomicLong();
    /** In a dry run: those that would take the place of another file. */
    public final AtomicLong filesToReplace = new AtomicLong();
    /** In a dry run: of both. */
    public final AtomicLong bytesToCopy = new AtomicLong();

    public final AtomicLong lanesAlive = new AtomicLong();
    /** Ended in order and dialled again, to go another way. */
    public final AtomicLong lanesReplaced = new AtomicLong();
    /** The file that was finished last, or the first one while none is; null before. */
    public volatile @Nullable String file;
    /** The walk has ended. */
    public volatile boolean totalsFinal;
    /** A stream without a known end is among the sources. */
    public volatile boolean endless;
    /** Nothing is changed: what would be is counted. */
    public volatile boolean dryRun;

    /** Null but in a dry run. */
    public Summary.@Nullable Preview preview() {
        return dryRun
                ? new Summary.Preview(filesToCopy.get(), filesToReplace.get(), filesDeleted.get(), bytesToCopy.get())
                : null;
    }
}
