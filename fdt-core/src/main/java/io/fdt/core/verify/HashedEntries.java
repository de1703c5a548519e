package io.fdt.core.verify;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A listing with digests, in the listing's order. The thread {@code fdt-walk} lists, the hash threads work ahead, and
 * at most {@value #AHEAD_MAX} entries are in progress, however large the tree is. Owns its listing.
 */
final class HashedEntries implements EntrySource {
    private static final int AHEAD_MAX = 2048;
    private static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Listing listing;
    private final HashThreads threads;
    private final RunningTotals totals;
    private final boolean device;
    private final Consumer<String> warnings;
    private final AtomicBoolean cacheWarned = new AtomicBoolean();
    /** In the listing's order; the last one contains null, or the failure of the whole listing. */
    private final ArrayBlockingQueue<CompletableFuture<@Nullable CheckedEntry>> line =
            new ArrayBlockingQueue<>(AHEAD_MAX);

    private final Thread walker;
    private boolean ended;
    private boolean walkEnded;
    private boolean closed;

    /**
     * Starts at once, with threads that belong to the caller, and reads the device instead of the page cache on
     * request.
     */
    HashedEntries(
            Listing listing, HashThreads threads, RunningTotals totals, boolean device, Consumer<String> warnings) {
        this.listing = listing;
        this.threads = threads;
        this.totals = totals;
        this.device = device;
        this.warnings = warnings;
        totals.listingBegins();
        try {
            this.walker = threads.budget().start("fdt-walk", this::walk);
        } catch (RuntimeException | Error noThread) {
            listing.close();
            throw noThread;
        }
    }

    private void walk() throws InterruptedException {
        try {
            listAll();
        } finally {
            synchronized (this) {
                walkEnded = true;
                closeUnused();
            }
        }
    }

    private void listAll() throws InterruptedException {
        CompletableFuture<@Nullable CheckedEntry> end = new CompletableFuture<>();
        try {
            for (CheckedEntry next = listing.next(); next != null; next = listing.next()) {
                add(next);
            }
            end.complete(null);
        } catch (RuntimeException | Error failure) {
            end.completeExceptionally(TransferException.of(failure));
        } finally {
            totals.listingEnded();
        }
        line.put(end);
    }

    private void add(CheckedEntry listed) throws InterruptedException {
        FileEntry entry = listed.entry();
        if (entry == null || entry.kind() != FileEntry.Kind.FILE) {
            line.put(CompletableFuture.completedFuture(listed));
            return;
        }
        if (threads.kind() == DigestKind.NONE) {
            totals.found(0);
            totals.fileDone();
            line.put(CompletableFuture.completedFuture(listed));
            return;
        }
        totals.found(entry.sizeBytes());
        HashedFile file = new HashedFile(entry, listing, threads, totals, this::onOpened);
        line.put(file.result());
        file.submitChunks();
    }

    private void onOpened(SourceFile file) {
        if (device && !file.bypassCache() && cacheWarned.compareAndSet(false, true)) {
            warnings.accept("the file system does not support reads past the page cache (O_DIRECT); cached data of each"
                    + " file is dropped before reading instead");
        }
    }

    @Override
    public @Nullable CheckedEntry next() throws InterruptedException {
        if (ended) {
            return null;
        }
        try {
            CheckedEntry next = line.take().get();
            ended = next == null;
            return next;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause == null ? Cause.INTERNAL.failure("cannot walk the tree", e) : TransferException.of(cause);
        }
    }

    @Override
    public boolean isReady() {
        CompletableFuture<CheckedEntry> head = line.peek();
        return head != null && head.isDone();
    }

    /** A hash thread that opens a file after this fails without a report. */
    @Override
    public void close() {
        walker.interrupt();
        HashThreads.joinAll(List.of(walker), GOODBYE_NANOS);
        synchronized (this) {
            closed = true;
            closeUnused();
        }
    }

    /** A file system may block the walker: until it answers, its descriptors must not be closed and reused. */
    private void closeUnused() {
        if (closed && walkEnded) {
            listing.close();
        }
    }
}
