package io.fdt.core.stats;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The running totals of a transfer. Any thread may update and read them. */
public final class TransferFigures {
    public final AtomicLong bytesTotal = new AtomicLong();
    public final AtomicLong bytesDone = new AtomicLong();
    /** The figures of {@link Moved}. */
    public final AtomicLong bytesSent = new AtomicLong();

    public final AtomicLong bytesArrived = new AtomicLong();
    public final AtomicLong bytesVerified = new AtomicLong();
    public final AtomicLong bytesMoved = new AtomicLong();
    public final AtomicLong bytesNamed = new AtomicLong();
    /** In unfinished files, as the next run will resume them. The receiver knows it, and tells the sender. */
    public final AtomicLong bytesKept = new AtomicLong();
    /** What is kept grows no more. */
    public volatile boolean keptExact;

    public final AtomicLong bytesInPlace = new AtomicLong();
    public final AtomicLong bytesResumed = new AtomicLong();
    public final AtomicLong bytesResent = new AtomicLong();
    public final AtomicLong filesTotal = new AtomicLong();
    public final AtomicLong filesDone = new AtomicLong();
    /** Those of the done files that were put in place, not skipped. Not a difference, which could fall. */
    public final AtomicLong filesPlaced = new AtomicLong();

    public final AtomicLong filesFailed = new AtomicLong();
    public final AtomicLong filesSkipped = new AtomicLong();
    /** Files deleted because the source does not have them. In a dry run: those that would be deleted. */
    public final AtomicLong filesDeleted = new AtomicLong();
    /** In a dry run: files that would be created. */
    public final AtomicLong filesToCopy = new AtomicLong();
    /** In a dry run: files that would replace another file. */
    public final AtomicLong filesToReplace = new AtomicLong();
    /** In a dry run: the bytes of both. */
    public final AtomicLong bytesToCopy = new AtomicLong();

    public final AtomicLong lanesAlive = new AtomicLong();
    /** Lanes that were closed and dialled again to use another path. */
    public final AtomicLong lanesReplaced = new AtomicLong();
    /** The last finished file, or the first one if none is finished; null before the first. */
    public volatile @Nullable String file;
    /** The walk has ended. */
    public volatile boolean totalsFinal;
    /** A stream of unknown length is among the sources. */
    public volatile boolean endless;
    /** Nothing is changed; the totals show what a copy would do. */
    public volatile boolean dryRun;

    /** All numbers. */
    public List<AtomicLong> totals() {
        return List.of(
                bytesTotal,
                bytesDone,
                bytesSent,
                bytesArrived,
                bytesVerified,
                bytesMoved,
                bytesNamed,
                bytesKept,
                bytesInPlace,
                bytesResumed,
                bytesResent,
                filesTotal,
                filesDone,
                filesPlaced,
                filesFailed,
                filesSkipped,
                filesDeleted,
                filesToCopy,
                filesToReplace,
                bytesToCopy,
                lanesAlive,
                lanesReplaced);
    }

    /** The bytes so far, for display. */
    public Progress.Bytes bytes() {
        Summary.Bytes soFar = new Summary.Bytes(
                bytesInPlace.get(), moved(), bytesResumed.get(), bytesResent.get(), bytesKept.get(), keptExact);
        return new Progress.Bytes(endless ? -1 : bytesTotal.get(), bytesDone.get(), soFar);
    }

    public Moved moved() {
        long sent = bytesSent.get();
        long durable = bytesMoved.get();
        // An acknowledgement can be newer than the other end's last figures.
        long verified = Math.max(durable, bytesVerified.get());
        long arrived = Math.max(Math.min(sent, verified), bytesArrived.get());
        return new Moved(sent, arrived, verified, durable, bytesNamed.get());
    }

    /** The size of what was found, less what was skipped and what an earlier session had moved. */
    public long bytesToMove() {
        return Math.max(0, bytesTotal.get() - (bytesDone.get() - bytesMoved.get()));
    }

    /** Null unless this is a dry run. */
    public Summary.@Nullable Preview preview() {
        return dryRun
                ? new Summary.Preview(filesToCopy.get(), filesToReplace.get(), filesDeleted.get(), bytesToCopy.get())
                : null;
    }
}
