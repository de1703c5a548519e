package io.fdt.core.files;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Located;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.verify.EntrySource;
import io.fdt.core.verify.PathSums;
import java.util.List;
import java.util.function.IntConsumer;

/** Carries out operations on named paths of this host, with an answer for each path. */
final class NamedOperation {
    private NamedOperation() {}

    /**
     * @param cores for hashing
     * @param pace of what is read for hashing, as {@link PathSums} has it
     * @param budget charged with what it holds, and in whose turns it works
     */
    static EntrySource open(
            FileOperation operation, Located.Finder finder, int cores, IntConsumer pace, Budget budget) {
        List<RawPath> paths = operation.paths();
        return switch (operation.action()) {
            case STAT -> new PathEntries(paths, budget, path -> lookAt(finder, path));
            case SUM -> new PathSums(paths, finder, operation.hash(), cores, pace, budget);
            case MAKE_DIRECTORY -> new PathEntries(paths, budget, path -> make(finder, path, operation.deep()));
            case MOVE -> new PathEntries(paths.subList(1, 2), budget, to -> move(finder, paths.get(0), to));
            case REMOVE -> new RemovedEntries(paths, finder, operation.deep(), budget);
            case LIST, SPACE, READ -> throw new IllegalArgumentException(operation.action() + " has no named entries");
        };
    }

    private static FileEntry lookAt(Located.Finder finder, RawPath path) {
        try (Located at = finder.find(path)) {
            return at.entry(path, false);
        }
    }

    private static FileEntry make(Located.Finder finder, RawPath path, boolean parents) {
        try (Located at = finder.find(path)) {
            if (parents) {
                ChangedName.requireOrdinary(at, path);
                Descriptor.closeFd(at.root().openDirectoryMakingIt(at.path(), () -> {}));
            } else {
                try (ChangedName name = new ChangedName(at, path)) {
                    name.make();
                }
            }
            return at.entry(path, parents);
        }
    }

    private static FileEntry move(Located.Finder finder, RawPath from, RawPath to) {
        try (Located source = finder.find(from);
                Located target = finder.find(to);
                ChangedName present = new ChangedName(source, from);
                ChangedName wanted = new ChangedName(target, to)) {
            if (!source.root().directory().equals(target.root().directory())) {
                throw Cause.REFUSED
                        .at(from.display())
                        .advise("copy it there, then remove it here")
                        .failure("is not in the same exported directory as " + to.display());
            }
            source.entry(from, false);
            wanted.takeFrom(present);
            return target.entry(to, false);
        }
    }
}
