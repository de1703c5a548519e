package io.fdt.core.listing;

import io.fdt.core.TransferException;
import io.fdt.core.account.Account;
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
    private final Account account;
    private final Function<RawPath, FileEntry> work;

    /** @param account of the session whose turns it works in */
    PathEntries(List<RawPath> paths, Account account, Function<RawPath, FileEntry> work) {
        this.account = account;
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
            return CheckedEntry.found(account.inTurn(() -> work.apply(path)));
        } catch (TransferException failure) {
            return CheckedEntry.unreadable(path, failure);
        }
    }

    @Override
    public void close() {
        // Nothing is held between two paths.
    }
}
