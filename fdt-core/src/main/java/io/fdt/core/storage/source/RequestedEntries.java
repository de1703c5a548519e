package io.fdt.core.storage.source;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The entries that a selection can yield, as seen by the receiver: a malicious sender cannot add others. An entry must
 * be named by a source or a name of the list, or match a source that is a pattern, or be below one of these, or be a
 * directory above a name of the list; and neither a rule that applies to it or to a directory above it, nor the bounds
 * of size and time, may exclude it. For one thread.
 */
public final class RequestedEntries {
    /** Sorted. The empty path includes everything: it stands for the contents of a source. */
    private final RawPath[] names;

    /** The patterns among the sources; their server determines the matches. */
    private final List<PathPattern> patterns;

    private final PathFilter filter;
    private final Budget budget;

    /** Entries of one directory are consecutive, so the last result for a parent is cached. */
    private RawPath parent = RawPath.EMPTY;

    private boolean parentCovered;
    private boolean parentExcluded;

    /** @param budget of the session that offers entries; its end is noticed between two names or patterns */
    public RequestedEntries(TransferPlan selection, Budget budget) {
        this.budget = budget;
        List<RawPath> listed = selection.find(CopyValue.NAMES);
        Stream<RawPath> all = listed == null
                ? selection.sources().stream()
                        .map(source -> SourceArgument.of(source).name())
                : names(listed, selection.isPaired())
                        .map(SourceNames::normalized)
                        .filter(Objects::nonNull);
        this.names = all.sorted(this::compare).toArray(RawPath[]::new);
        this.patterns = listed != null
                ? List.of()
                : Stream.of(names)
                        .map(PathPattern::ofComponent)
                        .filter(Objects::nonNull)
                        .toList();
        this.filter = new PathFilter(selection.get(CopyValue.RULES), selection.get(CopyValue.BOUNDS), budget);
        this.parentCovered = isCovered(parent);
    }

    private static Stream<RawPath> names(List<RawPath> listed, boolean paired) {
        return paired
                ? IntStream.range(0, listed.size() / 2).mapToObj(pair -> listed.get(2 * pair + 1))
                : listed.stream();
    }

    private int compare(RawPath left, RawPath right) {
        budget.requireOpen();
        return left.compareTo(right);
    }

    /** @throws TransferException REFUSED, with an entry that was not requested */
    public void require(FileEntry entry) {
        RawPath path = entry.path();
        boolean directory = entry.kind() == FileEntry.Kind.DIRECTORY;
        if (!path.parent().equals(parent)) {
            parent = path.parent();
            parentCovered = isCovered(parent);
            parentExcluded = isExcludedDirectory(parent);
        }
        boolean named = parentCovered || isName(path) || (directory && isAboveName(path));
        boolean admitted = !entry.hasData()
                || filter.admits(entry.whole().sizeBytes(), entry.modifiedSeconds(), entry.modifiedNanos());
        if (!named || parentExcluded || !admitted || filter.excludes(path, directory)) {
            throw Cause.REFUSED
                    .at(path.display())
                    .failure("the sender offers this, but it was not requested; nothing of it was written");
        }
    }

    /** Whether an entry was requested only as a directory above a name on the list. */
    public boolean isOnlyAbove(FileEntry entry) {
        return entry.kind() == FileEntry.Kind.DIRECTORY && !isCovered(entry.path());
    }

    private boolean isName(RawPath path) {
        return Arrays.binarySearch(names, path) >= 0 || matchesAPattern(path);
    }

    private boolean matchesAPattern(RawPath path) {
        if (patterns.isEmpty() || path.isEmpty() || !path.parent().isEmpty()) {
            return false;
        }
        for (PathPattern pattern : patterns) {
            budget.requireOpen();
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }

    private boolean isCovered(RawPath path) {
        return isName(path) || SourceNames.isBelowAny(path, this::isName);
    }

    /** Names below a directory are consecutive in byte order, right after its path with a slash. */
    private boolean isAboveName(RawPath directory) {
        int next = -1 - Arrays.binarySearch(names, directory.withSlash());
        return !directory.isEmpty() && next >= 0 && next < names.length && names[next].relativeTo(directory) != null;
    }

    private boolean isExcludedDirectory(RawPath directory) {
        return filter.excludes(directory, true)
                || SourceNames.isBelowAny(directory, above -> filter.excludes(above, true));
    }
}
