package io.fdt.core.plan;

import io.fdt.core.failure.Cause;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which files and directories to copy.
 *
 * @param sources as the user wrote them: a trailing slash means the contents of a directory
 * @param names if not null, paths below the only source, and only these are copied; of {@link Handling#PAIRS}, a path
 *     below it and one below the target take turns
 * @param zeros how much to send of the source {@code /dev/zero}
 * @param modes how the modes of files and directories change on the way
 */
public record SourceSelection(
        List<RawPath> sources,
        @Nullable List<RawPath> names,
        List<PathRule> rules,
        FileBounds bounds,
        Set<Handling> handling,
        Zeros zeros,
        ModeChange modes) {

    /** Options of the sender that differ from the default. Codes are the ordinals on the wire. */
    public enum Handling {
        /** Copies the targets of symbolic links in place of the links. */
        COPY_LINKS,
        /** Copies a growing file up to the size that it had when it was listed. */
        GROWING,
        /** Leaves out what is on another file system than its source. */
        ONE_FILE_SYSTEM,
        /** Each name is followed by the path of its copy. */
        PAIRS,
        /** Removes files of which the target has durable copies. Never sent: a client removes only its own files. */
        REMOVE
    }

    /** What one request may have of sources, and of rules. */
    private static final int MAX_LISTED = 4_096;

    private static final int MAX_SOURCES_BYTES = 512 * 1024;
    /** The size of the globs of all rules together. */
    private static final int MAX_RULES_BYTES = 256 * 1024;
    /** Names of one selection, in all messages together. */
    public static final int MAX_NAMES = 4 << 20;

    public static final long MAX_NAMES_BYTES = 256L << 20;

    /** The description of its sources that a push sends to the server. */
    public static final SourceSelection NONE = new SourceSelection(List.of(), null, List.of());

    /** A selection of files of any size and time. */
    public SourceSelection(List<RawPath> sources, @Nullable List<RawPath> names, List<PathRule> rules) {
        this(sources, names, rules, FileBounds.NONE, Set.of(), Zeros.NONE, ModeChange.NONE);
    }

    /** Throws USAGE if it has more sources or rules than a request may have. */
    public void requireFitting() {
        requireFitting("sources", sources, MAX_SOURCES_BYTES);
        requireFitting(
                "patterns of --include and --exclude",
                rules.stream().map(PathRule::glob).toList(),
                MAX_RULES_BYTES);
    }

    private static void requireFitting(String what, List<RawPath> listed, int maxBytes) {
        if (listed.size() > MAX_LISTED
                || listed.stream().mapToLong(RawPath::lengthBytes).sum() > maxBytes) {
            throw Cause.USAGE.failure("a server takes at most " + MAX_LISTED + " " + what + ", of " + maxBytes
                    + " bytes together; there are " + listed.size());
        }
    }

    /** Throws USAGE for more names than a request may have. */
    public static void requireFewNames(long count, long bytes) {
        if (count > MAX_NAMES || bytes > MAX_NAMES_BYTES) {
            throw Cause.USAGE.failure("the list of names is too long for one request; the limits are " + MAX_NAMES
                    + " names and " + MAX_NAMES_BYTES + " bytes; split the list, or push");
        }
    }

    public SourceSelection from(List<RawPath> others) {
        return new SourceSelection(others, names, rules, bounds, handling, zeros, modes);
    }

    /** Whether each name has a path of its own in the target. */
    public boolean isPaired() {
        return names != null && handling.contains(Handling.PAIRS);
    }

    /**
     * Whether names of the target are exact paths that the user wrote, each with its own directories above it; known at
     * both ends.
     */
    public boolean hasExactTargets() {
        return handling.contains(Handling.PAIRS);
    }

    /** Returns the directories above the targets of pairs, each after those above it. */
    public Set<RawPath> directoriesAbovePairs() {
        Set<RawPath> all = new LinkedHashSet<>();
        for (int i = 1; names != null && isPaired() && i < names.size(); i += 2) {
            addWithThoseAbove(names.get(i).parent(), all);
        }
        return all;
    }

    private static void addWithThoseAbove(RawPath directory, Set<RawPath> all) {
        if (!directory.isEmpty() && !all.contains(directory)) {
            addWithThoseAbove(directory.parent(), all);
            all.add(directory);
        }
    }

    /** What the receiver of a push knows of it: neither sources nor names. */
    SourceSelection atReceiver(List<PathRule> spared) {
        Set<Handling> known = hasExactTargets() ? Set.of(Handling.PAIRS) : Set.of();
        return new SourceSelection(List.of(), null, spared, FileBounds.NONE, known, Zeros.NONE, ModeChange.NONE);
    }

    SourceSelection named(List<RawPath> others) {
        return new SourceSelection(sources, others, rules, bounds, handling, zeros, modes);
    }

    public SourceSelection {
        handling = Set.copyOf(handling);
        sources = List.copyOf(sources);
        names = names == null ? null : List.copyOf(names);
        rules = List.copyOf(rules);
        sources.forEach(RawPath::requireShort);
    }
}
