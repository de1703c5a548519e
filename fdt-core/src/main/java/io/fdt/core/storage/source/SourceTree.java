package io.fdt.core.storage.source;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries that a session moves, as seen by the sender: one after another, parents before children, and the data of
 * each. Keeps no list of them. {@link #next} and {@link #refuseCollisions} are for the session's thread, {@link #open}
 * is thread-safe.
 *
 * <p>With {@code names}, paths are relative to the only source, whether or not it ends in a slash; the directories
 * above a name come as entries before it, and those that are named are moved with everything below them.
 */
public final class SourceTree implements Sources {
    private static final SourceProblems UNHEARD = new SourceProblems() {
        @Override
        public void onFailed(RawPath path, TransferException reason) {
            // The walk that moves the entries reports it.
        }

        @Override
        public void onSkipped(RawPath path, String reason) {
            // The walk that moves the entries reports it.
        }
    };

    /** The metadata, besides modes and times, that is reported for comparing trees. */
    private static final Set<Preserve> COMPARED = Set.of(Preserve.LINKS, Preserve.ACLS);

    private final List<SourceArgument> sources;
    private final Map<RawPath, List<SourceArgument>> sourcesByName = new HashMap<>();
    private final TransferPlan selection;
    private final Set<Preserve> preserve;
    private final SourceWalk.Manner manner;
    private final boolean growing;
    private final @Nullable SourceNames names;
    private final SourceProblems problems;
    private final SourceBases bases;
    private @Nullable SourceWalk walk;
    /** Closed with the tree, if the tree owns it. */
    private @Nullable Root owned;

    /** @throws TransferException SOURCE, with the first source that does not exist, or USAGE */
    public SourceTree(Root root, TransferPlan selection, Set<Preserve> preserve, SourceProblems problems) {
        this(root, arguments(root, selection), selection, preserve, SourceWalk.Manner.AS_FOUND, problems);
    }

    private SourceTree(
            Root root,
            List<SourceArgument> sources,
            TransferPlan selection,
            Set<Preserve> preserve,
            SourceWalk.Manner manner,
            SourceProblems problems) {
        this.selection = selection;
        this.preserve = Set.copyOf(preserve);
        this.manner = manner;
        this.growing = selection.get(CopyValue.GROWING);
        this.problems = problems;
        List<RawPath> listed = selection.isPaired() ? null : selection.find(CopyValue.NAMES);
        this.names = listed == null ? null : new SourceNames(listed, root.budget());
        this.sources = sources;
        for (SourceArgument source : sources) {
            sourcesByName
                    .computeIfAbsent(source.path(), path -> new ArrayList<>())
                    .add(source);
        }
        this.bases = new SourceBases(root, sources, selection);
    }

    /**
     * Returns the contents of a directory, or one file, in {@link TreeOrder}, so that it can be compared with another
     * tree, entry by entry. A trailing slash makes no difference for a directory.
     *
     * <p>A peer's path may be a pattern; then this is the directory with the matches of the pattern.
     *
     * @throws TransferException SOURCE, if there is nothing, or REFUSED
     */
    public static SourceTree inOrder(Root root, RawPath path, SourceProblems problems) {
        if (root.isConfined() && PathPattern.hasWildcard(path) && !root.has(path)) {
            return matching(root, path, problems);
        }
        SourceArgument argument = root.hasDirectory(path) ? SourceArgument.contentsOf(path) : SourceArgument.of(path);
        TransferPlan all = TransferPlan.from(List.of(path));
        return new SourceTree(root, List.of(argument), all, COMPARED, SourceWalk.Manner.COMPARED, problems);
    }

    /**
     * Returns a directory with only those names that match the last component of the path, and everything below them.
     */
    private static SourceTree matching(Root root, RawPath path, SourceProblems problems) {
        RawPath component = path.name();
        RawPath directory = path.parent();
        if (PathPattern.hasWildcard(directory)) {
            throw Cause.USAGE
                    .at(path.display())
                    .failure("a pattern to compare is allowed only in the last part of the path");
        }
        PathPattern.expandAll(root, List.of(path));
        List<PathRule> rules = new ArrayList<>();
        if (component.byteAt(0) != '.') {
            rules.add(new PathRule(false, RawPath.ofText("/.*")));
        }
        rules.add(new PathRule(true, RawPath.ROOT.resolve(component)));
        rules.add(new PathRule(false, RawPath.ofText("/*")));
        TransferPlan some = TransferPlan.from(List.of(path)).with(CopyValue.RULES, rules);
        return new SourceTree(
                root,
                List.of(SourceArgument.contentsOf(directory)),
                some,
                COMPARED,
                SourceWalk.Manner.COMPARED,
                problems);
    }

    /**
     * Returns a whole selection with the names of each directory sorted, so that two walks of the same trees yield the
     * same sequence.
     *
     * @throws TransferException SOURCE, with the first source that does not exist, or USAGE
     */
    public static SourceTree planned(
            Root root, TransferPlan selection, Set<Preserve> preserve, SourceProblems problems) {
        return new SourceTree(
                root, arguments(root, selection), selection, preserve, SourceWalk.Manner.SORTED, problems);
    }

    /** Returns a tree that closes its root when it is closed; if this throws, the root is closed at once. */
    public static SourceTree owning(
            Root root, TransferPlan selection, Set<Preserve> preserve, SourceProblems problems) {
        try {
            SourceTree tree = new SourceTree(root, selection, preserve, problems);
            tree.owned = root;
            return tree;
        } catch (TransferException missing) {
            root.close();
            throw missing;
        }
    }

    /** Whether there is only one entry, which is not a directory: then a target's name may be the entry's new name. */
    @Override
    public boolean isSingleFile() {
        return !selection.has(CopyValue.NAMES) && sources.size() == 1 && bases.isFirstNoDirectory();
    }

    @Override
    public long onlyFileBytes() {
        return isSingleFile() && !growing ? bases.firstBytes() : -1;
    }

    private static List<SourceArgument> arguments(Root root, TransferPlan written) {
        TransferPlan selection = root.isConfined() ? expanded(root, written) : written;
        if (selection.sources().isEmpty()) {
            throw Cause.USAGE.failure("no source is given");
        }
        List<RawPath> names = selection.find(CopyValue.NAMES);
        if (names == null) {
            return selection.sources().stream().map(SourceArgument::of).toList();
        }
        if (selection.sources().size() != 1) {
            throw Cause.USAGE.failure("a list of names needs exactly one source");
        }
        RawPath directory = selection.sources().get(0);
        return selection.isPaired()
                ? paired(root, directory, names, selection.get(CopyValue.REMOVE_SOURCE))
                : List.of(SourceArgument.contentsOf(directory));
    }

    /**
     * Returns a source for each pair. Refuses targets that are the same, or below one another, and a source that is to
     * be removed and has two targets: it would be gone when the first has it.
     */
    private static List<SourceArgument> paired(Root root, RawPath directory, List<RawPath> names, boolean removes) {
        List<SourceArgument> sources = new ArrayList<>();
        Set<List<RawPath>> removed = new HashSet<>();
        Set<RawPath> targets = new HashSet<>();
        for (int i = 0; i + 1 < names.size(); i += 2) {
            root.budget().requireOpen();
            RawPath name = root.isConfined() ? names.get(i).withoutLeadingSlashes() : names.get(i);
            RawPath target = names.get(i + 1);
            if (!target.isPlainRelative() || target.isEmpty() || !targets.add(target)) {
                throw Cause.USAGE
                        .at(target.display())
                        .failure(
                                (targets.contains(target)
                                        ? "is the target of two sources"
                                        : "is no path below the target"));
            }
            List<RawPath> components = name.components();
            if (removes
                    && !removed.add(components.stream()
                            .filter(each -> !each.equals(RawPath.HERE))
                            .toList())) {
                throw Cause.USAGE
                        .at(name.display())
                        .failure("has two targets, so --remove-source would remove it after the first");
            }
            sources.add(SourceArgument.of(directory.resolve(name)).to(target));
        }
        for (SourceArgument source : sources) {
            for (RawPath above = source.path().parent(); !above.isEmpty(); above = above.parent()) {
                if (targets.contains(above)) {
                    throw Cause.USAGE
                            .at(source.path().display())
                            .failure("is below another target, " + above.display());
                }
            }
        }
        return sources;
    }

    /** Replaces a peer's patterns by their matches. */
    private static TransferPlan expanded(Root root, TransferPlan written) {
        return written.isPaired()
                ? written
                : written.with(CopyValue.SOURCES, PathPattern.expandAll(root, written.sources()));
    }

    /** Returns the next entry, or null at the end. Reports what cannot be copied as a problem. */
    @Override
    public @Nullable FileEntry next() {
        SourceWalk current = walk;
        if (current == null) {
            current = newWalk(problems);
            walk = current;
            refuseNamesThatLeadOut();
        }
        return current.next();
    }

    @Override
    public long furtherNamesCopied() {
        return walk == null ? 0 : walk.furtherNamesCopied();
    }

    @Override
    public long skippedCount() {
        return walk == null ? 0 : walk.skippedCount();
    }

    private SourceWalk newWalk(SourceProblems heard) {
        return new SourceWalk(bases, sources, names, selection, preserve, manner, heard);
    }

    private void refuseNamesThatLeadOut() {
        if (names != null) {
            for (RawPath name : names.leadingOut()) {
                problems.onFailed(name, Cause.OUTSIDE_ROOT.at(name.display()).failure("leads out of the source"));
            }
        }
    }

    /**
     * Walks everything once, if several sources could map to the same target path, and keeps a hash of each path.
     *
     * @throws TransferException USAGE, if two would be written to one path and not both are directories
     */
    public void refuseCollisions() {
        if (!canOverlap()) {
            return;
        }
        PathHashes seen = new PathHashes();
        try (SourceWalk all = newWalk(UNHEARD)) {
            for (FileEntry entry = all.next(); entry != null; entry = all.next()) {
                if (!seen.add(entry.path())) {
                    refuseIfSharedByFiles(entry.path());
                }
            }
        }
    }

    /** Names of one directory are distinct; the contents of one may have any name. */
    private boolean canOverlap() {
        if (selection.isPaired()) {
            return false;
        }
        boolean namesRepeat = sourcesByName.size() < sources.size();
        boolean hasContents = sourcesByName.containsKey(RawPath.EMPTY);
        return namesRepeat || (hasContents && sources.size() > 1);
    }

    private void refuseIfSharedByFiles(RawPath path) {
        List<SourceArgument> holders = new ArrayList<>();
        boolean directories = true;
        FileStatus status = new FileStatus();
        for (SourceArgument source : candidates(path)) {
            try (DirectoryCache.Held base = bases.acquire(source)) {
                int fd = bases.openBelow(source, base.fd(), path, Paths.O_PATH | Paths.O_NOFOLLOW);
                if (FileMetadata.statAndClose(fd, status) == 0) {
                    holders.add(source);
                    directories &= status.isDirectory();
                }
            }
        }
        if (holders.size() > 1 && !directories) {
            throw Cause.USAGE
                    .at(path.display())
                    .failure("would be written twice, from "
                            + holders.get(0).argument().display() + " and from "
                            + holders.get(1).argument().display());
        }
    }

    @Override
    public @Nullable RawPath pathBelowRoot(FileEntry entry) {
        List<SourceArgument> candidates = candidates(entry.path());
        SourceArgument only = candidates.size() == 1 ? candidates.get(0) : null;
        return only == null ? null : only.base().resolve(only.inBase(entry.path()));
    }

    /**
     * Opens the data of an entry, without following links.
     *
     * @throws TransferException SOURCE, also if the file no longer matches the entry
     */
    @Override
    public SourceFile open(FileEntry entry) {
        RawPath path = entry.path();
        FileStatus status = new FileStatus();
        TransferException failure = null;
        for (SourceArgument source : candidates(path)) {
            try (DirectoryCache.Held base = bases.acquire(source)) {
                int fd = bases.openBelow(source, base.fd(), path, Paths.O_RDONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK);
                if (fd < 0) {
                    if (!isGone(fd)) {
                        failure = Errno.failure(FailureKind.SOURCE, "open", path, -fd);
                    } else if (fd == -Errno.ENOENT && sources.size() == 1) {
                        failure = Cause.CHANGED.at(path.display()).failure("has vanished since it was listed");
                    }
                    continue;
                }
                int known = FileMetadata.stat(fd, status);
                if (known == 0 && isAsOffered(status, entry)) {
                    SourceFile file = new DiskSourceFile(
                            path, FailureKind.SOURCE, new Descriptor(fd, bases.budget()), status, growing);
                    FileRange range = entry.range();
                    return range == null || range.isAll()
                            ? file
                            : new SourceRange(file, new Range(range.offset(), range.lengthBytes()));
                }
                Descriptor.closeFd(fd);
                if (known < 0) {
                    failure = Errno.failure(FailureKind.SOURCE, "look at", path, -known);
                }
            }
        }
        throw failure != null ? failure : Cause.CHANGED.at(path.display()).failure("changed since it was listed");
    }

    @Override
    public boolean readsWholeFiles() {
        return !growing && bases.readsWhole();
    }

    /** Reads small files whole. Returns how many were read, in order; the next one must be opened separately. */
    @Override
    public int read(WholeFiles files) {
        SourceArgument source = onlyCandidate(files.entry(0));
        if (source == null) {
            return 0;
        }
        int together = 1;
        while (together < files.count() && source.equals(onlyCandidate(files.entry(together)))) {
            together++;
        }
        try (DirectoryCache.Held base = bases.acquire(source)) {
            return files.read(base.fd(), together);
        }
    }

    private @Nullable SourceArgument onlyCandidate(FileEntry entry) {
        List<SourceArgument> candidates = candidates(entry.path());
        return candidates.size() == 1 && !candidates.get(0).isRenamed() ? candidates.get(0) : null;
    }

    /**
     * Removes a file that the walk has found, if it has not changed since a time, in nanoseconds after the epoch. This
     * cannot be determined for a file with several names, because removing one of its names counts as a change.
     *
     * @return false if it has changed, no longer exists, has several names, or is another file
     */
    @Override
    public boolean remove(FileEntry entry, long sinceNanos) {
        RawPath path = entry.path();
        FileStatus status = new FileStatus();
        for (SourceArgument source : candidates(path)) {
            try (DirectoryCache.Held base = bases.acquire(source)) {
                int parentFd = bases.openParent(source, base.fd(), path);
                if (isGone(parentFd)) {
                    continue;
                }
                try (Descriptor parent = new Descriptor(requireRemovable(parentFd, path), bases.budget())) {
                    RawPath name = source.inBase(path).name();
                    int known = FileMetadata.statat(parent.fd(), name, Paths.AT_SYMLINK_NOFOLLOW, status);
                    if (!isGone(known)
                            && requireRemovable(known, path) == 0
                            && isUntouched(status, entry, sinceNanos)
                            && bases.hasFound(path, status)) {
                        requireRemovable(Paths.unlinkat(parent.fd(), name, 0), path);
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean isUntouched(FileStatus status, FileEntry entry, long sinceNanos) {
        return isAsListed(status, entry)
                && status.linkCount == 1
                && status.changedSeconds * 1_000_000_000L + status.changedNanos < sinceNanos;
    }

    private static boolean isGone(int outcome) {
        return outcome == -Errno.ENOENT || outcome == -Errno.ENOTDIR || outcome == -Errno.ELOOP;
    }

    private static int requireRemovable(int outcome, RawPath path) {
        if (outcome == -Errno.EACCES || outcome == -Errno.EPERM) {
            TransferException refused = Errno.failure(FailureKind.SOURCE, "remove", path, -outcome);
            throw refused.failure()
                    .advise("let the user that runs fdt on that host remove it")
                    .exception();
        }
        return Errno.require(outcome, FailureKind.SOURCE, "remove", path);
    }

    /** Returns the present time, as a file system would record it for a change, in nanoseconds after the epoch. */
    public static long nowNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private boolean isAsOffered(FileStatus status, FileEntry entry) {
        return growing
                ? status.isRegular() && status.sizeBytes >= entry.whole().sizeBytes()
                : isAsListed(status, entry);
    }

    public static boolean isAsListed(FileStatus status, FileEntry entry) {
        return status.isRegular() && status.sizeBytes == entry.whole().sizeBytes() && status.hasTimeOf(entry);
    }

    /**
     * Returns the sources that an entry's path may belong to: a few, and only one has the file if there are no
     * collisions.
     */
    private List<SourceArgument> candidates(RawPath path) {
        if (selection.isPaired()) {
            RawPath target = path;
            while (!target.isEmpty() && !sourcesByName.containsKey(target)) {
                target = target.parent();
            }
            return sourcesByName.getOrDefault(target, List.of());
        }
        List<SourceArgument> contents = sourcesByName.getOrDefault(RawPath.EMPTY, List.of());
        if (path.isEmpty() || contents.size() == sources.size()) {
            return contents;
        }
        List<SourceArgument> named = sourcesByName.getOrDefault(path.first(), List.of());
        if (contents.isEmpty() || named.isEmpty()) {
            return contents.isEmpty() ? named : contents;
        }
        List<SourceArgument> both = new ArrayList<>(named);
        both.addAll(contents);
        return both;
    }

    @Override
    public void close() {
        if (walk != null) {
            walk.close();
        }
        bases.close();
        if (owned != null) {
            owned.close();
        }
    }
}
