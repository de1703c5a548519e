package io.fdt.core.verify;

import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The progress of a verification over all its sides. Thread-safe. */
final class RunningTotals {
    private final long startedNanos = System.nanoTime();
    private final AtomicLong filesFound = new AtomicLong();
    private final AtomicLong filesDone = new AtomicLong();
    private final AtomicLong bytesFound = new AtomicLong();
    private final AtomicLong bytesDone = new AtomicLong();
    private final AtomicLong findings = new AtomicLong();
    private final AtomicInteger openListings = new AtomicInteger();

    /** Files will be found until {@link #listingEnded}. */
    void listingBegins() {
        openListings.incrementAndGet();
    }

    void listingEnded() {
        openListings.decrementAndGet();
    }

    void found(long sizeBytes) {
        filesFound.incrementAndGet();
        bytesFound.addAndGet(sizeBytes);
    }

    void hashed(long lengthBytes) {
        bytesDone.addAndGet(lengthBytes);
    }

    void fileDone() {
        filesDone.incrementAndGet();
    }

    void finding() {
        findings.incrementAndGet();
    }

    long elapsedNanos() {
        return System.nanoTime() - startedNanos;
    }

    Progress progress() {
        boolean last = openListings.get() == 0;
        long done = bytesDone.get();
        return new Progress(
                new Progress.Files(filesFound.get(), filesDone.get(), findings.get(), 0),
                new Progress.Bytes(bytesFound.get(), done, Summary.Bytes.of(done, Moved.all(done))),
                0,
                last,
                elapsedNanos());
    }
}
