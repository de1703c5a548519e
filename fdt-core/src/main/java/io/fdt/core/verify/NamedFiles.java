package io.fdt.core.verify;

import io.fdt.core.budget.Budget;
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
import org.jspecify.annotations.Nullable;

/**
 * Files that a user named, each by itself, through links as far as its root allows. Holds no root while nothing is
 * opened.
 */
public final class NamedFiles implements Listing {
    private final Iterator<RawPath> paths;
    private final Located.Finder finder;
    private final Budget budget;

    public NamedFiles(List<RawPath> paths, Located.Finder finder, Budget budget) {
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
