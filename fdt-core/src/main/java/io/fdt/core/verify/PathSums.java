package io.fdt.core.verify;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Located;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.DiskSourceFile;
import io.fdt.core.storage.source.SourceTree;
import java.util.Iterator;
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

    /** Each path by itself, through links as far as its root allows. Holds no root while nothing is opened. */
    private static final class NamedFiles implements Listing {
        private final Iterator<RawPath> paths;
        private final Located.Finder finder;
        private final Budget budget;

        NamedFiles(List<RawPath> paths, Located.Finder finder, Budget budget) {
            this.budget = budget;
            this.paths = paths.iterator();
            this.finder = finder;
        }

        @Override
        public @Nullable CheckedEntry next() {
            if (!paths.hasNext()) {
                return null;
            }
            RawPath path = paths.next();
            return budget.inTurn(() -> lookAt(path));
        }

        private CheckedEntry lookAt(RawPath path) {
            try (Located at = finder.find(path)) {
                FileEntry entry = at.entry(path, true);
                if (entry.kind() != FileEntry.Kind.FILE) {
                    throw Cause.SOURCE.at(path.display()).failure("is not a regular file");
                }
                return CheckedEntry.found(entry);
            } catch (TransferException failure) {
                return CheckedEntry.unreadable(path, failure);
            }
        }

        @Override
        public SourceFile open(FileEntry entry) {
            RawPath path = entry.path();
            try (Located at = finder.find(path)) {
                return DiskSourceFile.ofDescriptor(
                        at.root().budget(),
                        at.root().open(at.path(), Paths.O_RDONLY | Paths.O_NONBLOCK, 0),
                        FailureKind.SOURCE,
                        path,
                        status -> SourceTree.isAsListed(status, entry),
                        "has changed since it was listed");
            }
        }

        @Override
        public void close() {
            // Every root was closed with its path.
        }
    }
}
