package io.fdt.core.files;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.verify.EntrySource;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One answer for each path: the entry that something was done to, or why it was not. For one thread. */
final class PathEntries implements EntrySource {
    private final Iterator<RawPath> paths;
    private final Budget budget;
    private final Function<RawPath, FileEntry> work;

    /** @param budget of the session whose turns it works in */
    PathEntries(List<RawPath> paths, Budget budget, Function<RawPath, FileEntry> work) {
        this.budget = budget;
        this.paths = paths.iterator();
        this.work = work;
    }

    @Override
    public @Nullable CheckedEntry next() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!paths.hasNext()) {
            return null;
        }
        RawPath path = paths.next();
        try {
            return CheckedEntry.found(budget.inTurn(() -> work.apply(path)));
        } catch (TransferException failure) {
            return CheckedEntry.unreadable(path, failure);
        }
    }

    @Override
    public void close() {
        // Nothing is held between two paths.
    }
}
