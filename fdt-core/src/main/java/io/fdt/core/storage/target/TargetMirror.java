package io.fdt.core.storage.target;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.source.PathFilter;
import io.fdt.core.storage.source.RememberedPaths;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The paths that the source of a mirroring copy has, as a hash of each, so that a {@link TargetSweep} can find what the
 * source does not have. If two paths have the same hash, with a chance of one in many billions, a file stays that
 * should be deleted. For one thread.
 */
public final class TargetMirror implements AutoCloseable {
    /** The heap of a path in a set, besides its bytes. */
    private static final long TOP_BYTES = 128;

    private final RememberedPaths known;
    private final Budget budget;
    private final PathFilter filter;
    /** The directories to which sources map. */
    private final Set<RawPath> tops = new LinkedHashSet<>();

    private long topsBytes;

    /**
     * @param spared rules; what they exclude is never deleted
     * @param budget charged with what the source has
     */
    public TargetMirror(List<PathRule> spared, Budget budget) {
        this.known = new RememberedPaths("--delete", "mirror in parts", budget);
        this.budget = budget;
        this.filter = new PathFilter(spared, budget);
    }

    /**
     * Adds an entry that the source has and offers. A directory must be offered before its contents, and its contents
     * completely.
     */
    public void offered(FileEntry entry) {
        RawPath path = entry.path();
        has(path);
        if (entry.kind() == FileEntry.Kind.DIRECTORY) {
            if (path.isEmpty() || !hasDirectory(path.parent())) {
                addTop(path);
            }
            has(asDirectory(path));
        }
    }

    private void addTop(RawPath path) {
        if (!tops.contains(path)) {
            long bytes = TOP_BYTES + path.lengthBytes();
            budget.take(Resource.HEAP, bytes);
            topsBytes += bytes;
            tops.add(path);
        }
    }

    /** Adds a path that the source has but does not offer. */
    public void has(RawPath path) {
        known.add(path);
    }

    /** Of the session that is mirrored. */
    Budget budget() {
        return budget;
    }

    boolean knows(RawPath path) {
        return known.contains(path);
    }

    boolean hasDirectory(RawPath path) {
        return known.contains(asDirectory(path));
    }

    /** A distinct key for a directory: no path of an entry ends with a slash. */
    private static RawPath asDirectory(RawPath path) {
        return path.withSlash();
    }

    /** Whether a path is never deleted. */
    boolean spares(RawPath path, boolean directory) {
        return PartialNames.isReserved(path.name()) || filter.excludes(path, directory);
    }

    /** The directories to sweep; none is inside another one. */
    Set<RawPath> tops() {
        return tops.contains(RawPath.EMPTY) ? Set.of(RawPath.EMPTY) : tops;
    }

    /** Finds what only the target has, and deletes it on request. The target must stay open. */
    public TargetSweep sweep(Target target, boolean deletes, TargetSweep.Listener listener) {
        return new TargetSweep(this, target, deletes, listener);
    }

    @Override
    public void close() {
        known.close();
        tops.clear();
        budget.give(Resource.HEAP, topsBytes);
        topsBytes = 0;
    }
}
