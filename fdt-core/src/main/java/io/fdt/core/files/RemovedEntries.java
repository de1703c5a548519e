package io.fdt.core.files;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.storage.Located;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.Leftover;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.source.ListedTree;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.verify.EntrySource;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes what is at each path, a directory only if it is empty or if everything below it is to go with it, children
 * before parents. Reports what stays, and then the path itself. Follows no links: a link itself is removed. What a
 * running copy is writing stays. For one thread.
 */
final class RemovedEntries implements EntrySource {
    private static final Cleaning NOW = new Cleaning(0, false);

    private final Iterator<RawPath> paths;
    private final Located.Finder finder;
    private final boolean deep;
    private final Budget budget;
    private final ArrayDeque<CheckedEntry> ready = new ArrayDeque<>();
    private @Nullable Tree tree;

    /** @param budget of the session whose turns it works in */
    RemovedEntries(List<RawPath> paths, Located.Finder finder, boolean deep, Budget budget) {
        this.budget = budget;
        this.paths = paths.iterator();
        this.finder = finder;
        this.deep = deep;
    }

    @Override
    public @Nullable CheckedEntry next() throws InterruptedException {
        while (ready.isEmpty()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (tree == null && !paths.hasNext()) {
                return null;
            }
            budget.runInTurn(this::work);
        }
        return ready.poll();
    }

    private void work() {
        Tree walked = tree;
        if (walked == null) {
            begin(paths.next());
        } else if (!walked.step()) {
            tree = null;
            try (walked) {
                ready.add(walked.end());
            }
        }
    }

    private void begin(RawPath path) {
        try {
            Located at = finder.find(path);
            try {
                FileEntry entry = at.entry(path, false);
                if (deep && entry.kind() == FileEntry.Kind.DIRECTORY) {
                    tree = new Tree(at, entry);
                } else {
                    try (ChangedName name = new ChangedName(at, path)) {
                        name.remove(entry.kind() == FileEntry.Kind.DIRECTORY);
                    }
                    ready.add(CheckedEntry.found(entry));
                }
            } finally {
                if (tree == null) {
                    at.close();
                }
            }
        } catch (TransferException failure) {
            ready.add(CheckedEntry.unreadable(path, failure));
        }
    }

    /** A directory with all its contents. Owns what it opens, and the root in which it was found. */
    private final class Tree implements SourceProblems, AutoCloseable {
        private final Located at;
        private final FileEntry entry;
        private final Root root;
        private final ListedTree walk;
        /** From the current directory up to the top, which has the empty path. */
        private final ArrayDeque<Level> levels = new ArrayDeque<>();

        private boolean kept;

        Tree(Located at, FileEntry entry) {
            this.at = at;
            this.entry = entry;
            try (ChangedName name = new ChangedName(at, entry.path())) {
                this.root = name.open();
            }
            try {
                this.walk = new ListedTree(root, RawPath.EMPTY, ListedTree.Depth.ALL, this);
            } catch (TransferException failure) {
                root.close();
                throw failure;
            }
        }

        /** Removes the next entry; false at the end. */
        boolean step() {
            FileEntry found = walk.next();
            if (found == null) {
                leaveUpTo(null);
                return false;
            }
            if (found.path().isEmpty()) {
                return true;
            }
            leaveUpTo(found.path());
            if (found.kind() == FileEntry.Kind.DIRECTORY) {
                levels.push(new Level(found.path()));
            } else {
                remove(found.path(), false);
            }
            return true;
        }

        private void leaveUpTo(@Nullable RawPath path) {
            for (Level level = levels.peek();
                    level != null && (path == null || !TreeOrder.covers(level.path, path));
                    level = levels.peek()) {
                levels.remove();
                if (level.kept) {
                    keep();
                } else {
                    remove(level.path, true);
                }
            }
        }

        private void remove(RawPath path, boolean directory) {
            try {
                if (!directory && PartialNames.isLeftover(path.name())) {
                    Leftover.remove(root, RawPath.EMPTY, path, NOW);
                    return;
                }
                int done = root.unlink(path, directory);
                if (done != -Errno.ENOENT) {
                    Errno.require(done, FailureKind.TARGET, "remove", shown(path));
                }
            } catch (TransferException failure) {
                onFailed(path, failure);
            }
        }

        private RawPath shown(RawPath path) {
            return path.isEmpty() ? entry.path() : entry.path().resolve(path);
        }

        @Override
        public void onFailed(RawPath path, TransferException reason) {
            keep();
            ready.add(CheckedEntry.unreadable(shown(path), reason));
        }

        @Override
        public void onSkipped(RawPath path, String reason) {
            keep();
        }

        private void keep() {
            Level level = levels.peek();
            if (level == null) {
                kept = true;
            } else {
                level.kept = true;
            }
        }

        /** Removes the directory itself. */
        CheckedEntry end() {
            try (ChangedName last = new ChangedName(at, entry.path())) {
                if (kept) {
                    throw Cause.TARGET.at(entry.path().display()).failure("is not empty, because something stays");
                }
                last.remove(true);
                return CheckedEntry.found(entry);
            } catch (TransferException failure) {
                return CheckedEntry.unreadable(entry.path(), failure);
            }
        }

        @Override
        public void close() {
            walk.close();
            root.close();
            at.close();
        }
    }

    private static final class Level {
        final RawPath path;
        /** Whether something in it stays. */
        boolean kept;

        Level(RawPath path) {
            this.path = path;
        }
    }

    @Override
    public boolean isReady() {
        return !ready.isEmpty();
    }

    @Override
    public void close() {
        Tree open = tree;
        if (open != null) {
            tree = null;
            open.close();
        }
    }
}
