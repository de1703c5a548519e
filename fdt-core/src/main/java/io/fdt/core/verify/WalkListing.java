package io.fdt.core.verify;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.storage.source.SourceTree;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A whole tree in {@link TreeOrder}. A single file has the empty path, so that two files of different names can be
 * compared. A problem follows right after the entry that it concerns. Owns its root.
 */
final class WalkListing implements Listing, SourceProblems {
    private final Root root;
    private final SourceTree tree;
    private final Consumer<String> warnings;
    private final ArrayDeque<CheckedEntry> ready = new ArrayDeque<>();
    /** Reported by the walk and not returned yet, in the walk's order. */
    private final ArrayDeque<CheckedEntry> problems = new ArrayDeque<>();

    private volatile @Nullable FileEntry single;

    /** @throws TransferException SOURCE, if there is nothing at the path, or REFUSED */
    WalkListing(Root root, RawPath path, Consumer<String> warnings) {
        this.root = root;
        this.warnings = warnings;
        try {
            this.tree = SourceTree.inOrder(root, path, this);
        } catch (TransferException missing) {
            root.close();
            throw missing;
        }
    }

    @Override
    public void onFailed(RawPath path, TransferException reason) {
        problems.add(CheckedEntry.unreadable(path, reason));
    }

    @Override
    public void onSkipped(RawPath path, String reason) {
        warnings.accept(path.display() + ": " + reason + ", and is not verified");
    }

    @Override
    public @Nullable CheckedEntry next() {
        if (ready.isEmpty()) {
            readAhead();
        }
        return ready.poll();
    }

    /** The walk reports a directory that cannot be listed before it returns its entry. */
    private void readAhead() {
        FileEntry entry = tree.next();
        while (!problems.isEmpty()
                && (entry == null || TreeOrder.compare(problems.element().path(), entry.path()) < 0)) {
            ready.add(problems.remove());
        }
        if (entry != null) {
            ready.add(CheckedEntry.found(tree.isSingleFile() ? asSingle(entry) : entry));
            ready.addAll(problems);
            problems.clear();
        }
    }

    private FileEntry asSingle(FileEntry entry) {
        single = entry;
        return entry.at(RawPath.EMPTY);
    }

    @Override
    public SourceFile open(FileEntry entry) {
        FileEntry known = single;
        return tree.open(known == null ? entry : known);
    }

    @Override
    public void close() {
        tree.close();
        root.close();
    }
}
