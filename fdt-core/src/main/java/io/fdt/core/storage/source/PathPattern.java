package io.fdt.core.storage.source;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Paths;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path with {@code *}, {@code ?} or {@code [a-z]} in its components, which its server expands like a shell: a
 * component matches names, never a slash, and a name with a leading dot only if the pattern has one. A file with
 * exactly this name takes precedence. Only servers expand patterns, below confined roots. For one thread at a time.
 */
final class PathPattern {
    static final int MATCHES_MAX = 65_536;
    /** The limit for the matches of all patterns of a request together, including intermediate directories. */
    private static final long MATCHES_MAX_BYTES = 8 << 20;
    /** The size of a path in addition to its own bytes. */
    private static final int PATH_BYTES = 64;

    private final Glob glob;
    private final boolean hidden;

    private PathPattern(RawPath component) {
        this.glob = new Glob(component.toBytes(), Glob.Start.ROOT);
        this.hidden = component.byteAt(0) == '.';
    }

    /** Returns null if the component has no wildcard. */
    static @Nullable PathPattern ofComponent(RawPath component) {
        return hasWildcard(component) ? new PathPattern(component) : null;
    }

    static boolean hasWildcard(RawPath path) {
        return Glob.hasWildcard(path.toBytes());
    }

    /** Whether the component matches this name. Files of unfinished copies never match. */
    boolean matches(RawPath name) {
        return !name.isEmpty()
                && (hidden || name.byteAt(0) != '.')
                && glob.matches(name)
                && !PartialNames.isReserved(name)
                && name.isPlainRelative();
    }

    /**
     * Expands patterns: a path that exists or has no wildcard stays as it is, any other is replaced by its matches,
     * sorted by name in each directory.
     *
     * @throws TransferException SOURCE, with a pattern that matches nothing; LIMIT, with one that matches too much
     */
    static List<RawPath> expandAll(Root root, List<RawPath> paths) {
        return expandAll(root, paths, MATCHES_MAX_BYTES);
    }

    static List<RawPath> expandAll(Root root, List<RawPath> paths, long maxBytes) {
        if (paths.stream().noneMatch(PathPattern::hasWildcard)) {
            return paths;
        }
        Room room = new Room(maxBytes);
        List<RawPath> expanded = new ArrayList<>();
        for (RawPath path : paths) {
            root.budget().requireOpen();
            expanded.addAll(expand(root, path, room));
        }
        return expanded;
    }

    /** Counts the remaining memory for matches, so that patterns of a peer cannot fill the heap. */
    private static final class Room {
        private long leftBytes;

        Room(long bytes) {
            this.leftBytes = bytes;
        }

        void take(RawPath found) {
            leftBytes -= PATH_BYTES + found.lengthBytes();
        }
    }

    private static List<RawPath> expand(Root root, RawPath path, Room room) {
        if (!hasWildcard(path) || root.has(path)) {
            return List.of(path);
        }
        List<RawPath> components = path.components();
        List<RawPath> reached = List.of(path.isAbsolute() ? RawPath.ROOT : RawPath.EMPTY);
        for (int i = 0; i < components.size(); i++) {
            reached = below(root, reached, components.get(i), i < components.size() - 1, path, room);
        }
        if (reached.isEmpty()) {
            throw noMatch(path);
        }
        return reached;
    }

    static TransferException noMatch(RawPath path) {
        return Cause.NO_MATCH.at(path.display()).failure("nothing matches this pattern");
    }

    private static List<RawPath> below(
            Root root, List<RawPath> parents, RawPath component, boolean directories, RawPath path, Room room) {
        PathPattern pattern = ofComponent(component);
        List<RawPath> found = new ArrayList<>();
        for (RawPath parent : parents) {
            int before = found.size();
            RawPath literal = parent.resolve(component);
            if (pattern == null || root.has(literal)) {
                if (directories ? root.hasDirectory(literal) : root.has(literal)) {
                    found.add(literal);
                }
            } else {
                root.budget().runInTurn(() -> addMatches(root, parent, pattern, directories, found));
            }
            found.subList(before, found.size()).forEach(room::take);
            if (found.size() > MATCHES_MAX || room.leftBytes < 0) {
                throw Cause.LIMIT
                        .at(path.display())
                        .advise("copy their directory, and select with --include and --exclude")
                        .failure("too many paths match");
            }
        }
        return found;
    }

    /** An unreadable directory has no matches, as in a shell. */
    private static void addMatches(
            Root root, RawPath parent, PathPattern pattern, boolean directories, List<RawPath> found) {
        int fd = root.open(parent.isEmpty() ? RawPath.HERE : parent, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        if (fd < 0) {
            return;
        }
        DirectoryReader reader = new DirectoryReader(new Descriptor(fd, root.budget()), DirectoryReader.newBuffer());
        try {
            List<RawPath> names = new ArrayList<>();
            RawPath name = reader.next();
            while (found.size() + names.size() <= MATCHES_MAX && name != null) {
                root.budget().requireOpen();
                if (pattern.matches(name)) {
                    names.add(name);
                }
                name = reader.next();
            }
            names.sort(null);
            for (RawPath each : names) {
                RawPath path = parent.resolve(each);
                if (!directories || root.hasDirectory(path)) {
                    found.add(path);
                }
            }
        } finally {
            reader.suspend();
        }
    }
}
