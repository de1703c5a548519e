package io.fdt.core.storage.target;

import io.fdt.core.FailureKind;
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
 * What the source of a mirroring copy has, kept as a hash of each path, 16 bytes each, so that a {@link TargetSweep}
 * can find what it does not have. Two paths with one hash spare a file, with luck of one in many billions. All mirrors
 * of a process together keep a bounded share of the heap. One thread.
 */
public final class TargetMirror implements AutoCloseable {
    private static final int TOPS_MAX = 65_536;

    private final RememberedPaths known = new RememberedPaths("--delete", "mirror in parts");
    private final PathFilter filter;
    /** The directories that sources map to. */
    private final Set<RawPath> tops = new LinkedHashSet<>();

    /** @param spared what these exclude stays */
    public TargetMirror(List<PathRule> spared) {
        this.filter = new PathFilter(spared);
    }

    /** The source has this and offers it. A directory is offered before what is in it, and all that is in it. */
    public void offered(FileEntry entry) {
        RawPath path = entry.path();
        has(path);
        if (entry.kind() == FileEntry.Kind.DIRECTORY) {
            if (path.isEmpty() || !hasDirectory(path.parent())) {
                tops.add(path);
            }
            has(asDirectory(path));
        }
        if (tops.size() > TOPS_MAX) {
            throw FailureKind.LIMIT.failure("--delete takes at most " + TOPS_MAX + " directories; mirror in parts");
        }
    }

    /** The source has this, and does not offer it. */
    public void has(RawPath path) {
        known.add(path);
    }

    boolean knows(RawPath path) {
        return known.contains(path);
    }

    boolean hasDirectory(RawPath path) {
        return known.contains(asDirectory(path));
    }

    /** No path of an entry ends with a slash. */
    private static RawPath asDirectory(RawPath path) {
        return path.withSlash();
    }

    /** Whether it stays in any case. */
    boolean spares(RawPath path, boolean directory) {
        return PartialNames.isReserved(path.name()) || filter.excludes(path, directory);
    }

    /** The directories to sweep; none is in another one. */
    Set<RawPath> tops() {
        return tops.contains(RawPath.EMPTY) ? Set.of(RawPath.EMPTY) : tops;
    }

    /** Finds what the target has besides, and deletes it if told so. The target must stay open. */
    public TargetSweep sweep(Target target, boolean deletes, TargetSweep.Listener listener) {
        return new TargetSweep(this, target, deletes, listener);
    }

    @Override
    public void close() {
        known.close();
    }
}
