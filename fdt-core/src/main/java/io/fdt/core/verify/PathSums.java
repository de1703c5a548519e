package io.fdt.core.verify;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Located;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The digests of files that a user named, in that order, with as many threads as there is work for. */
public final class PathSums implements EntrySource {
    private final HashThreads threads;
    private final HashedEntries entries;

    private final Budget budget;
    private final long memoryBytes;

    /**
     * Starts at once.
     *
     * @param pace accepts the bytes of each read before it, and may wait or throw
     * @param budget charged with the memory that files are read into
     */
    public PathSums(
            List<RawPath> paths, Located.Finder finder, HashKind hash, int cores, IntConsumer pace, Budget budget) {
        // Only a tree has parts that can be hashed in any order.
        int count = hash instanceof FileHash ? Math.min(cores, paths.size()) : cores;
        this.budget = budget;
        this.memoryBytes = (long) count * HashThreads.BUFFER_BYTES;
        budget.take(Resource.DIRECT_MEMORY, memoryBytes);
        HashThreads started = null;
        try {
            started = new HashThreads(hash, count, budget, pace);
            this.entries = new HashedEntries(
                    new NamedFiles(paths, finder, budget), started, new RunningTotals(), false, warning -> {});
        } catch (RuntimeException | Error noThread) {
            if (started != null) {
                started.close();
            }
            budget.give(Resource.DIRECT_MEMORY, memoryBytes);
            throw noThread;
        }
        this.threads = started;
    }

    @Override
    public @Nullable CheckedEntry next() throws InterruptedException {
        return entries.next();
    }

    @Override
    public boolean isReady() {
        return entries.isReady();
    }

    @Override
    public void close() {
        entries.close();
        threads.close();
        budget.give(Resource.DIRECT_MEMORY, memoryBytes);
    }
}
