package io.fdt.core.storage.source;

import io.fdt.core.budget.Budget;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Includes and excludes with rsync's meaning: the first matching rule decides, and a path without a matching rule is
 * included. A leading slash anchors a glob to the root of the transfer; a glob that contains a slash (or {@code **}) is
 * matched against the end of the path, any other against its last component; a trailing slash matches only directories;
 * {@code dir/***} matches the directory and everything below it. The caller does not enter an excluded directory.
 * Bounds of size and time apply to files in addition. For one thread at a time.
 */
public final class PathFilter {
    private final List<Rule> rules = new ArrayList<>();
    private final FileBounds bounds;
    private final Budget budget;

    private record Rule(boolean include, boolean directoriesOnly, Glob glob) {}

    public PathFilter(List<PathRule> rules, Budget budget) {
        this(rules, FileBounds.NONE, budget);
    }

    /** @param budget of the session for which paths are matched; its end is noticed between two rules */
    public PathFilter(List<PathRule> rules, FileBounds bounds, Budget budget) {
        this.bounds = bounds;
        this.budget = budget;
        for (PathRule rule : rules) {
            add(rule);
        }
    }

    private void add(PathRule rule) {
        byte[] bytes = rule.glob().toBytes();
        int from = 0;
        int to = bytes.length;
        boolean anchored = to > 0 && bytes[0] == '/';
        if (anchored) {
            from++;
        }
        boolean directoriesOnly = to > from && bytes[to - 1] == '/';
        if (directoriesOnly) {
            to--;
        }
        byte[] pattern = Arrays.copyOfRange(bytes, from, Math.max(from, to));
        if (endsWithSlashAndThreeStars(pattern)) {
            byte[] directory = Arrays.copyOf(pattern, pattern.length - 4);
            Glob.Start start = startOf(directory, anchored);
            rules.add(new Rule(rule.include(), true, new Glob(directory, start)));
            Glob.Start startBelow = anchored ? Glob.Start.ROOT : Glob.Start.EVERY_COMPONENT;
            rules.add(new Rule(rule.include(), directoriesOnly, new Glob(pattern, startBelow)));
        } else {
            rules.add(new Rule(rule.include(), directoriesOnly, new Glob(pattern, startOf(pattern, anchored))));
        }
    }

    private static boolean endsWithSlashAndThreeStars(byte[] pattern) {
        int length = pattern.length;
        return length > 4 && Arrays.equals(pattern, length - 4, length, new byte[] {'/', '*', '*', '*'}, 0, 4);
    }

    private static Glob.Start startOf(byte[] pattern, boolean anchored) {
        if (anchored) {
            return Glob.Start.ROOT;
        }
        for (int i = 0; i < pattern.length; i++) {
            boolean crossesSlashes = pattern[i] == '*' && i + 1 < pattern.length && pattern[i + 1] == '*';
            if (pattern[i] == '/' || crossesSlashes) {
                return Glob.Start.EVERY_COMPONENT;
            }
        }
        return Glob.Start.LAST_COMPONENT;
    }

    /** Whether the bounds include a file with this size and time. */
    boolean admits(long sizeBytes, long modifiedSeconds, int modifiedNanos) {
        return bounds.admitsAll() || bounds.admit(sizeBytes, modifiedSeconds, modifiedNanos);
    }

    /** Whether the path, relative to the root of the transfer, is excluded. The root itself never is. */
    public boolean excludes(RawPath path, boolean directory) {
        if (path.isEmpty()) {
            return false;
        }
        for (Rule rule : rules) {
            budget.requireOpen();
            if ((directory || !rule.directoriesOnly) && rule.glob.matches(path)) {
                return !rule.include;
            }
        }
        return false;
    }
}
