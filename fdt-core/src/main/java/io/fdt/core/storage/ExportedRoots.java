package io.fdt.core.storage;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The directories that a server exports. If there is one, remote paths are relative to it. If there are several, the
 * first component of a path is the last component of a root, and the rest is relative to that root.
 */
public final class ExportedRoots {
    private static final int DEFAULT_MODE_MASK = 022;

    private final List<Export> exports;
    /** Null if the server and the key permit changes. */
    private final @Nullable Cause readOnly;

    private final CreationMask mask;
    /** Of the session for which the roots are opened. */
    private final Budget budget;

    /** A reachable directory: an exported one, or one below it that a key is limited to. */
    private record Export(RawPath directory, RawPath below) {
        RawPath name() {
            return (below.isEmpty() ? directory : below).name();
        }

        Root open(CreationMask mask, Budget budget) {
            Root whole = Root.confined(directory, mask, budget);
            if (below.isEmpty()) {
                return whole;
            }
            try (whole) {
                return whole.below(below);
            }
        }
    }

    /** Roots in which only the owner can write what clients create. */
    public ExportedRoots(List<RawPath> directories, boolean readOnly) {
        this(directories, readOnly, DEFAULT_MODE_MASK);
    }

    /** @param modeMask permissions that nothing created here gets, whatever its client sends */
    public ExportedRoots(List<RawPath> directories, boolean readOnly, int modeMask) {
        this(
                readOnly ? Cause.READ_ONLY_SERVER : null,
                CreationMask.ofPermissions(modeMask),
                directories.stream()
                        .map(directory -> new Export(directory, RawPath.EMPTY))
                        .toList(),
                Budgets.ofProcess());
    }

    private ExportedRoots(@Nullable Cause readOnly, CreationMask mask, List<Export> exports, Budget budget) {
        this.budget = budget;
        this.mask = mask;
        this.exports = List.copyOf(exports);
        this.readOnly = readOnly;
    }

    /** Returns the exported directories, without the limits of a key. */
    public List<RawPath> directories() {
        return exports.stream().map(Export::directory).toList();
    }

    public boolean isReadOnly() {
        return readOnly != null;
    }

    /** Throws if the server or the key permits no changes. */
    public void requireWritable() {
        if (readOnly != null) {
            throw readOnly.failure(
                    readOnly == Cause.READ_ONLY_SERVER ? "this server is read-only" : "this key is read-only");
        }
    }

    /** Throws USAGE for the first directory that cannot be exported, or that no path would lead to. */
    public void requirePresent() {
        for (Export export : exports) {
            export.open(mask, budget).close();
            Export sameName = named(export.name());
            if (sameName != null && !Objects.equals(sameName, export)) {
                throw Cause.USAGE.failure(
                        "two exported roots are called " + export.name() + ": " + sameName.directory + " and "
                                + export.directory + "; export one of them through a symbolic link with another name");
            }
        }
    }

    /**
     * Returns the part of these roots that a key may reach; throws REFUSED if it may reach none.
     *
     * @param writable false: nothing may be written, whatever is exported
     * @param directories absolute paths that the key is limited to; empty: it may reach everything
     */
    public ExportedRoots within(boolean writable, List<String> directories) {
        Cause nothingWritten = readOnly == null && !writable ? Cause.READ_ONLY_KEY : readOnly;
        if (directories.isEmpty() || exports.isEmpty()) {
            return new ExportedRoots(nothingWritten, mask, exports, budget);
        }
        List<Export> allowed = new ArrayList<>();
        for (String root : directories) {
            Export export = exportOf(RawPath.ofText(root));
            if (export != null) {
                allowed.add(export);
            }
        }
        if (allowed.isEmpty()) {
            throw Cause.OUTSIDE_ROOT.failure("this key is limited to directories that the server does not export");
        }
        return new ExportedRoots(nothingWritten, mask, allowed, budget);
    }

    /**
     * Returns these roots for a client.
     *
     * @param defaultAcls whether it may give a directory a default ACL
     * @param onlyNewNames whether it must leave everything as it is that exists
     */
    public ExportedRoots limited(boolean defaultAcls, boolean onlyNewNames) {
        CreationMask limits = new CreationMask(mask.permissions(), !defaultAcls, onlyNewNames);
        return new ExportedRoots(readOnly, limits, exports, budget);
    }

    /** Of the session for which they are used. */
    public Budget budget() {
        return budget;
    }

    /** Returns these roots for a client's session, whose budget is charged with what is held for it. */
    public ExportedRoots chargedTo(Budget session) {
        return new ExportedRoots(readOnly, mask, exports, session);
    }

    /** Returns the exported directory that contains this absolute path or is it; null if there is none. */
    private @Nullable Export exportOf(RawPath path) {
        for (Export export : exports) {
            try (Root whole = Root.confined(export.directory)) {
                RawPath below = path.relativeTo(whole.realPath());
                if (below != null && below.isPlainRelative()) {
                    return new Export(export.directory, below);
                }
            }
        }
        return null;
    }

    /** Returns the paths of the roots as clients write them; empty if nothing is exported. */
    public List<RawPath> paths() {
        return exports.size() == 1
                ? List.of(RawPath.ROOT)
                : exports.stream()
                        .map(export -> RawPath.ROOT.resolve(export.name()))
                        .toList();
    }

    public static final class ExportedPath {
        private final Export export;
        private final CreationMask mask;
        private final RawPath path;
        private final Budget budget;

        private ExportedPath(Export export, CreationMask mask, RawPath path, Budget budget) {
            this.budget = budget;
            this.export = export;
            this.mask = mask;
            this.path = path;
        }

        /** Relative to the root. */
        public RawPath path() {
            return path;
        }

        /** The exported directory, absolute. */
        public RawPath root() {
            return RawPath.ofText(System.getProperty("user.dir")).resolve(export.directory);
        }

        /** The path on this host of a path below the root, absolute, however it is written. */
        public RawPath onHost(RawPath withinRoot) {
            RawPath relative = withinRoot.isAbsolute() ? withinRoot.relativeTo(RawPath.ROOT) : withinRoot;
            return root().resolve(export.below).resolve(relative == null ? RawPath.EMPTY : relative);
        }

        public RawPath absolute(RawPath withinRoot) {
            return export.directory.resolve(export.below).resolve(withinRoot);
        }

        public Root openRoot() {
            return export.open(mask, budget);
        }

        /** Opens the root of the path as well. */
        public Located locate() {
            return new Located(openRoot(), path);
        }

        public boolean isInSameRootAs(ExportedPath other) {
            return export.name().equals(other.export.name());
        }
    }

    /** Returns the place of a remote path; throws REFUSED if there is none. */
    public ExportedPath find(RawPath remote) {
        if (exports.isEmpty()) {
            throw Cause.REFUSED
                    .advise("start it with --root DIR to reach " + remote)
                    .failure("the server exports no directory");
        }
        if (exports.size() == 1) {
            return new ExportedPath(exports.get(0), mask, remote, budget);
        }
        RawPath within = remote.withoutLeadingSlashes();
        RawPath name = within.first();
        Export export = named(name);
        if (export == null) {
            throw Cause.REFUSED
                    .at(remote.display())
                    .failure("the server exports several directories, and a path"
                            + " begins with the name of one of them: "
                            + paths().stream().map(RawPath::display).collect(Collectors.joining(", ")));
        }
        return new ExportedPath(export, mask, within.from(name.lengthBytes()), budget);
    }

    private @Nullable Export named(RawPath name) {
        for (Export export : exports) {
            if (export.name().equals(name)) {
                return export;
            }
        }
        return null;
    }
}
