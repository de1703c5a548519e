package io.fdt.core.storage.source;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileSystemSpace;
import io.fdt.core.storage.posix.Paths;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries at a path, for a listing: includes devices, pipes, sockets and unfinished files, in the order of the file
 * system. Needs no more memory than one directory buffer for each level. Follows no links below the path. Paths are
 * relative to it; a single file has its own name. For one thread. Does not own its root.
 */
public final class ListedTree implements AutoCloseable {
    private final Root root;
    private final Depth depth;
    private final SourceProblems problems;
    /** The paths that remain to be listed, and their prefixes: one path, or the matches of a pattern. */
    private final ArrayDeque<SourcePart> parts = new ArrayDeque<>();

    private @Nullable SourceBases bases;
    private @Nullable SourceWalk walk;
    private RawPath prefix = RawPath.EMPTY;

    private record SourcePart(SourceArgument argument, RawPath prefix) {}

    public enum Depth {
        /** Only the entry. */
        ITSELF(SourceWalk.Manner.LISTED_ITSELF),
        /** The contents of a directory, one level deep. */
        CONTENTS(SourceWalk.Manner.LISTED_FLAT),
        /** Everything below. */
        ALL(SourceWalk.Manner.LISTED);

        private final SourceWalk.Manner manner;

        Depth(SourceWalk.Manner manner) {
            this.manner = manner;
        }
    }

    /**
     * @param path may be a pattern below a confined root; then its matches are listed, with paths relative to its
     *     leading components without wildcards
     * @throws TransferException SOURCE, if there is nothing at the path, or REFUSED
     */
    public ListedTree(Root root, RawPath path, Depth depth, SourceProblems problems) {
        this.root = root;
        this.depth = depth;
        this.problems = problems;
        if (!root.isConfined() || !PathPattern.hasWildcard(path) || root.has(path)) {
            begin(new SourcePart(
                    root.hasDirectory(path) ? SourceArgument.contentsOf(path) : SourceArgument.of(path),
                    RawPath.EMPTY));
            return;
        }
        int literal = literalBytes(path);
        for (RawPath match : PathPattern.expandAll(root, List.of(path))) {
            parts.add(
                    new SourcePart(SourceArgument.of(match), match.from(literal).parent()));
        }
    }

    /** Returns the length of the part before the first component with a wildcard, including its slash. */
    private static int literalBytes(RawPath path) {
        RawPath literal = RawPath.ofText(path.isAbsolute() ? "/" : "");
        for (RawPath component : path.components()) {
            if (PathPattern.hasWildcard(component)) {
                break;
            }
            literal = literal.resolve(component);
        }
        return literal.lengthBytes() + (literal.isEmpty() || literal.endsWithSlash() ? 0 : 1);
    }

    private void begin(SourcePart part) {
        SourceBases opened = new SourceBases(root, List.of(part.argument), TransferPlan.EMPTY);
        bases = opened;
        prefix = part.prefix;
        walk = new SourceWalk(
                opened,
                List.of(part.argument),
                null,
                TransferPlan.EMPTY,
                Set.of(Preserve.LINKS),
                depth.manner,
                new SourceProblems() {
                    @Override
                    public void onFailed(RawPath path, TransferException reason) {
                        problems.onFailed(part.prefix.resolve(path), reason);
                    }

                    @Override
                    public void onSkipped(RawPath path, String reason) {
                        problems.onSkipped(part.prefix.resolve(path), reason);
                    }
                });
    }

    /** Returns the next entry, or null at the end; the listed directory comes first, with the empty path. */
    public @Nullable FileEntry next() {
        while (true) {
            FileEntry entry = walk == null ? null : walk.next();
            if (entry != null) {
                return entry.path().isEmpty() || prefix.isEmpty() ? entry : entry.at(prefix.resolve(entry.path()));
            }
            close();
            SourcePart part = parts.poll();
            if (part == null) {
                return null;
            }
            try {
                begin(part);
            } catch (TransferException gone) {
                problems.onFailed(part.argument.argument(), gone);
            }
        }
    }

    @Override
    public void close() {
        if (walk != null) {
            walk.close();
            walk = null;
        }
        if (bases != null) {
            bases.close();
            bases = null;
        }
    }

    /** Whether a file with this name belongs to an unfinished copy, for example a partial or its journal. */
    public static boolean isUnfinished(RawPath name) {
        return PartialNames.isReserved(name);
    }

    /** @throws TransferException SOURCE, if there is nothing at the path, or REFUSED */
    public static FileSystemSpace spaceAt(Root root, RawPath path) {
        int fd = root.open(path, Paths.O_PATH, 0);
        try {
            FileSystemSpace space = fd < 0 ? null : FileSystemSpace.of(fd);
            if (space == null) {
                throw Errno.failure(FailureKind.SOURCE, "open", path, fd < 0 ? -fd : Errno.EIO);
            }
            return space;
        } finally {
            Descriptor.closeFd(fd);
        }
    }
}
