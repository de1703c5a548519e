package io.fdt.core.stats;

import java.util.concurrent.atomic.AtomicLong;

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
    public final AtomicLong lanesAlive = new AtomicLong();
    /** Ended in order and dialled again, to go another way. */
    public final AtomicLong lanesReplaced = new AtomicLong();
    /** The walk has ended. */
    public volatile boolean totalsFinal;
    /** A stream without a known end is among the sources. */
    public volatile boolean endless;
}
