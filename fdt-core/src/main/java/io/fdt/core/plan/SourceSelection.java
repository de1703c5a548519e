package io.fdt.core.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which things are to be moved.
 *
 * @param sources as the user wrote them: a trailing slash means the contents of a directory
 * @param names if not null, paths below the one source, and only they are moved
 */
public record SourceSelection(
        List<RawPath> sources, @Nullable List<RawPath> names, List<PathRule> rules, FileBounds bounds) {
    /** The description of its sources that a push sends to the server. */
    public static final SourceSelection NONE = new SourceSelection(List.of(), null, List.of());

    /** Of files of any size and time. */
    public SourceSelection(List<RawPath> sources, @Nullable List<RawPath> names, List<PathRule> rules) {
        this(sources, names, rules, FileBounds.NONE);
    }

    public SourceSelection from(List<RawPath> others) {
        return new SourceSelection(others, names, rules, bounds);
    }

    public SourceSelection {
        sources = List.copyOf(sources);
        names = names == null ? null : List.copyOf(names);
        rules = List.copyOf(rules);
    }
}
