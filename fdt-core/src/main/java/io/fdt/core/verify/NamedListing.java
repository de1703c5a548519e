package io.fdt.core.verify;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.target.PlacedEntries;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The entries of a copy, looked up by name, with one answer for each name. Owns its root. */
final class NamedListing implements Listing {
    private final Root root;
    private final PlacedEntries entries;
    private final Names names;

    interface Names {
        /** Waits for the next name; null at the end. */
        @Nullable VerifyName next() throws InterruptedException;
    }

    /**
     * @param above directories above copied names, each after those above it; links in their place are followed
     * @throws TransferException SOURCE, if the target of the copy does not exist, or REFUSED
     */
    NamedListing(Root root, RawPath target, boolean single, Set<RawPath> above, Names names) {
        this.root = root;
        this.names = names;
        try {
            this.entries = new PlacedEntries(root, target, single);
        } catch (TransferException missing) {
            root.close();
            throw missing;
        }
        try {
            above.forEach(entries::follow);
        } catch (TransferException failure) {
            close();
            throw failure;
        }
    }

    @Override
    public @Nullable CheckedEntry next() throws InterruptedException {
        VerifyName name = names.next();
        if (name == null) {
            return null;
        }
        return root.budget().inTurn(() -> lookAt(name));
    }

    private CheckedEntry lookAt(VerifyName name) {
        try {
            FileEntry found =
                    name.above() ? entries.lookAbove(name.path()) : entries.lookAt(name.path(), name.directory());
            return found == null ? CheckedEntry.absent(name.path()) : CheckedEntry.found(found);
        } catch (TransferException failure) {
            return CheckedEntry.unreadable(name.path(), failure);
        }
    }

    @Override
    public SourceFile open(FileEntry entry) {
        return entries.open(entry);
    }

    @Override
    public void close() {
        entries.close();
        root.close();
    }
}
