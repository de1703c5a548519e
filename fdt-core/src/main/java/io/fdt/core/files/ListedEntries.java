package io.fdt.core.files;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.Located;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.Leftover;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.source.ListedTree;
import io.fdt.core.storage.source.ListedTree.Depth;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.verify.EntrySource;
import io.fdt.core.wire.VerifyMessage.OpenList;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a listing: the roots, or what is at a path. Holds one entry at a time, however large a directory
 * is. One thread takes entries; another may close it meanwhile, and the last of the two releases the tree.
 */
final class ListedEntries implements EntrySource, SourceProblems {
    private final boolean unfinished;
    private final @Nullable Cleaning cleaning;
    private final RawPath top;
    private final ArrayDeque<CheckedEntry> ready = new ArrayDeque<>();
    private final AtomicInteger users = new AtomicInteger(1);
    private @Nullable Root root;
    private @Nullable ListedTree tree;
    private boolean ended;

    static ListedEntries ofThisHost(ListPlan plan) {
        try (Root here = Root.unconfined(RawPath.EMPTY)) {
            if (!here.hasDirectory(plan.path())) {
                throw Errno.of(FailureKind.SOURCE, plan.path(), Errno.ENOTDIR).failure("not a directory");
            }
        }
        return new ListedEntries(
                new ExportedRoots(List.of(plan.path()), false),
                new OpenList(RawPath.ofText("/"), plan.recursive(), false, plan.timeoutMs(), plan.cleaning()));
    }

    /** @throws TransferException SOURCE if there is nothing at the path, or REFUSED */
    ListedEntries(ExportedRoots roots, OpenList request) {
        this.unfinished = request.space();
        this.cleaning = request.cleaning();
        List<RawPath> paths = roots.paths();
        if (request.path().isEmpty() && cleaning == null && paths.size() != 1) {
            top = RawPath.EMPTY;
            paths.forEach(path -> addRoot(roots, path));
            return;
        }
        // Without a path, what is in the only root.
        ExportedRoots.ExportedPath place =
                roots.find(request.path().isEmpty() && paths.size() == 1 ? paths.get(0) : request.path());
        Root opened = place.openRoot();
        root = opened;
        top = place.path();
        try {
            if (cleaning != null && !opened.hasDirectory(top)) {
                throw Errno.of(FailureKind.SOURCE, request.path(), Errno.ENOTDIR)
                        .failure("not a directory");
            }
            tree = new ListedTree(opened, top, request.recursive() ? Depth.ALL : Depth.CONTENTS, this);
        } catch (TransferException missing) {
            opened.close();
            throw missing;
        }
    }

    private void addRoot(ExportedRoots roots, RawPath path) {
        try (Located each = roots.find(path).locate();
                ListedTree itself = new ListedTree(each.root(), each.path(), Depth.ITSELF, this)) {
            FileEntry entry = itself.next();
            if (entry != null) {
                ready.add(CheckedEntry.found(entry.at(path)));
            }
        } catch (TransferException gone) {
            onFailed(path, gone);
        }
    }

    @Override
    public void onFailed(RawPath path, TransferException reason) {
        ready.add(CheckedEntry.unreadable(path, reason));
    }

    @Override
    public void onSkipped(RawPath path, String reason) {
        // A listing skips nothing.
    }

    @Override
    public @Nullable CheckedEntry next() throws InterruptedException {
        if (users.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            return null;
        }
        try {
            return take();
        } finally {
            leave();
        }
    }

    private @Nullable CheckedEntry take() throws InterruptedException {
        ListedTree walked = tree;
        while (ready.isEmpty() && walked != null && !ended) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            FileEntry entry = walked.next();
            ended = entry == null;
            if (entry != null && isListed(entry)) {
                Root from = root;
                ready.add(
                        from == null || cleaning == null
                                ? CheckedEntry.found(entry)
                                : cleaned(from, top, entry, cleaning));
            }
        }
        return ready.poll();
    }

    private static CheckedEntry cleaned(Root root, RawPath top, FileEntry entry, Cleaning cleaning) {
        try {
            root.budget().runInTurn(() -> Leftover.remove(root, top, entry.path(), cleaning));
            return CheckedEntry.found(entry);
        } catch (TransferException kept) {
            return CheckedEntry.unreadable(entry, kept);
        }
    }

    /** The listed directory is not an entry of itself. When cleaning, only what unfinished copies left is an entry. */
    private boolean isListed(FileEntry entry) {
        RawPath name = entry.path().name();
        return cleaning != null
                ? PartialNames.isLeftover(name)
                : !entry.path().isEmpty() && (unfinished || !ListedTree.isUnfinished(name));
    }

    @Override
    public void close() {
        leave();
    }

    private void leave() {
        if (users.decrementAndGet() == 0) {
            if (tree != null) {
                tree.close();
            }
            if (root != null) {
                root.close();
            }
        }
    }
}
