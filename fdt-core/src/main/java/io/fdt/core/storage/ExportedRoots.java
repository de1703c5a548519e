package io.fdt.core.storage;

import io.fdt.core.basic.Reach;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
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
    /** Whether they are those of a token, which may be none. */
    private final boolean isScoped;
    /** Null if the server and the key permit changes. */
    private final @Nullable Cause readOnly;

    private final CreationMask mask;
    /** Of the session for which the roots are opened. */
    private final Budget budget;

    /**
     * A reachable directory: an exported one, or one below it that a key or a token is limited to.
     *
     * @param scope the path by which clients name it; null if the other exports decide that
     * @param onlyNewNames whether everything in it stays as it is, whatever holds for the other exports
     * @param made whether it may be created, because a client may write there
     * @param isFile whether it is one file
     */
    private record Export(
            RawPath directory,
            RawPath below,
            @Nullable RawPath scope,
            boolean onlyNewNames,
            boolean made,
            boolean isFile) {
        Export(RawPath directory, RawPath below) {
            this(directory, below, null, false, false, false);
        }

        /** Where a client may write, it is a directory: something that is written has other files beside it. */
        Export asFound() {
            if (made || below.isEmpty()) {
                return this;
            }
            FileStatus there = new FileStatus();
            try (Root whole = Root.confined(directory)) {
                int known = FileMetadata.statAndClose(whole.openWithoutLinks(below, Paths.O_PATH), there);
                return known == 0 && there.isRegular()
                        ? new Export(directory, below, scope, onlyNewNames, false, true)
                        : this;
            }
        }

        /** The directory in which paths are. */
        RawPath place() {
            return directory.resolve(isFile ? below.parent() : below);
        }

        RawPath name() {
            return scope != null ? scope : (below.isEmpty() ? directory : below).name();
        }

        /** @param makes create it if it does not exist and may be created */
        Root open(CreationMask mask, Budget budget, boolean makes) {
            CreationMask own =
                    new CreationMask(mask.permissions(), mask.defaultAcls(), mask.onlyNewNames() || onlyNewNames);
            Root whole = Root.confined(directory, own, budget);
            if (below.isEmpty()) {
                return whole;
            }
            try (whole) {
                return isFile
                        ? whole.aboveFile(below, name())
                        : makes && made ? whole.belowMakingIt(below, name()) : whole.below(below, name());
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
                false,
                Budgets.ofProcess());
    }

    private ExportedRoots(
            @Nullable Cause readOnly, CreationMask mask, List<Export> exports, boolean isScoped, Budget budget) {
        this.isScoped = isScoped;
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
            export.open(mask, budget, false).close();
            Export sameName = named(export.name());
            if (sameName != null && !Objects.equals(sameName, export)) {
                throw Cause.USAGE.failure(
                        "two exported roots are called " + export.name() + ": " + sameName.directory + " and "
                                + export.directory + "; export one of them through a symbolic link with another name");
            }
        }
    }

    /** Whether this absolute path is an exported directory or below one. */
    public boolean contains(RawPath path) {
        return exportOf(path) != null;
    }

    /** Returns these roots without permission to write. */
    public ExportedRoots readOnly() {
        return within(new Reach(false, List.of(), null));
    }

    /** Returns the part of these roots that a client may reach; throws REFUSED if a key may reach none. */
    public ExportedRoots within(Reach reach) {
        Cause nothingWritten = readOnly == null && !reach.writes() ? Cause.READ_ONLY_KEY : readOnly;
        List<Export> allowed = exports;
        if (!reach.directories().isEmpty() && !exports.isEmpty()) {
            allowed = reach.directories().stream()
                    .map(root -> exportOf(RawPath.ofText(root)))
                    .filter(Objects::nonNull)
                    .toList();
            if (allowed.isEmpty()) {
                throw Cause.OUTSIDE_ROOT.failure("this key is limited to directories that the server does not export");
            }
        }
        List<Scope> scopes = reach.scopes();
        return scopes == null
                ? new ExportedRoots(nothingWritten, mask, allowed, isScoped, budget)
                : new ExportedRoots(nothingWritten, mask, scoped(allowed, scopes), true, budget);
    }

    /** The parts of these exports that the paths of scopes name, in the way in which clients write paths. */
    private static List<Export> scoped(List<Export> exports, List<Scope> scopes) {
        List<Export> parts = new ArrayList<>();
        for (Scope scope : scopes) {
            RawPath path = RawPath.ofText(scope.path());
            boolean onlyNew = !scope.rights().contains(Right.WRITE);
            boolean made = scope.rights().contains(Right.APPEND);
            for (Export export : exports) {
                RawPath name = exports.size() == 1 ? RawPath.EMPTY : export.name();
                RawPath within = restOf(path, name);
                if (within != null) {
                    RawPath below = export.below.resolve(within.withoutLeadingSlashes());
                    parts.add(new Export(export.directory, below, path, onlyNew, made, false));
                } else if (restOf(RawPath.ROOT.resolve(name), path) != null) {
                    parts.add(new Export(
                            export.directory, export.below, RawPath.ROOT.resolve(name), onlyNew, made, false));
                }
            }
        }
        return parts;
    }

    /** What follows in a path after these components; null if it begins with others. */
    private static @Nullable RawPath restOf(RawPath path, RawPath components) {
        RawPath rest = path;
        for (RawPath component :
                components.withoutLeadingSlashes().isEmpty() ? List.<RawPath>of() : components.components()) {
            if (!rest.first().equals(component)) {
                return null;
            }
            rest = rest.withoutLeadingSlashes().from(component.lengthBytes());
        }
        return rest;
    }

    /**
     * Returns these roots for a client.
     *
     * @param defaultAcls whether it may give a directory a default ACL
     * @param onlyNewNames whether it must leave everything as it is that exists
     */
    public ExportedRoots limited(boolean defaultAcls, boolean onlyNewNames) {
        CreationMask limits = new CreationMask(mask.permissions(), !defaultAcls, onlyNewNames);
        return new ExportedRoots(readOnly, limits, exports, isScoped, budget);
    }

    /** Of the session for which they are used. */
    public Budget budget() {
        return budget;
    }

    /** Returns these roots for a client's session, whose budget is charged with what is held for it. */
    public ExportedRoots chargedTo(Budget session) {
        return new ExportedRoots(readOnly, mask, exports, isScoped, session);
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
        return exports.size() == 1 && exports.get(0).scope == null
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
            return RawPath.ofText(System.getProperty("user.dir"))
                    .resolve(export.place())
                    .resolve(relative == null ? RawPath.EMPTY : relative);
        }

        public RawPath absolute(RawPath withinRoot) {
            return export.place().resolve(withinRoot);
        }

        public Root openRoot() {
            return export.open(mask, budget, !path.withoutLeadingSlashes().isEmpty());
        }

        /** Opens the root of the path as well. */
        public Located locate() {
            return new Located(openRoot(), path);
        }

        public boolean isInSameRootAs(ExportedPath other) {
            return export.name().equals(other.export.name()) && export.isFile == other.export.isFile;
        }
    }

    /** Returns the place of a remote path; throws REFUSED if there is none. */
    public ExportedPath find(RawPath remote) {
        if (exports.isEmpty() && !isScoped) {
            throw Cause.REFUSED
                    .advise("start it with --root DIR to reach " + remote)
                    .failure("the server exports no directory");
        }
        if (isScoped) {
            return scopeOf(remote);
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

    /** The longest scope decides: it permits what all shorter ones permit. */
    private ExportedPath scopeOf(RawPath remote) {
        Export longest = null;
        for (Export export : exports) {
            if (restOf(remote, export.name()) != null
                    && (longest == null
                            || export.name().lengthBytes() > longest.name().lengthBytes())) {
                longest = export;
            }
        }
        Export found = longest == null ? null : longest.asFound();
        RawPath rest = found == null ? null : restOf(remote, found.name());
        if (found == null || rest == null || (found.isFile && !rest.isEmpty())) {
            throw Cause.OUTSIDE_ROOT
                    .at(remote.display())
                    .advise("get a token with a scope for it")
                    .failure("the token does not permit that there");
        }
        return new ExportedPath(found, mask, found.isFile ? found.below.name() : rest, budget);
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
