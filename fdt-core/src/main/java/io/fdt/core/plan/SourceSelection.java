package io.fdt.core.plan;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which things are to be moved.
 *
 * @param sources as the user wrote them: a trailing slash means the contents of a directory
 * @param names if not null, paths below the one source, and only they are moved
 */
public record SourceSelection(
        List<RawPath> sources,
        @Nullable List<RawPath> names,
        List<PathRule> rules,
        FileBounds bounds,
        Set<Handling> handling) {

    /** What the sender does otherwise than usual. Codes are the ordinals on the wire. */
    public enum Handling {
        /** Copies what symbolic links lead to. */
        COPY_LINKS,
        /** A file that grows is copied as far as it went when it was listed. */
        GROWING,
        /** Removes files of which the target has durable copies. Never sent: a client removes only its own files. */
        REMOVE
    }

    /** The description of its sources that a push sends to the server. */
    public static final SourceSelection NONE = new SourceSelection(List.of(), null, List.of());

    /** Of files of any size and time. */
    public SourceSelection(List<RawPath> sources, @Nullable List<RawPath> names, List<PathRule> rules) {
        this(sources, names, rules, FileBounds.NONE, Set.of());
    }

    public SourceSelection from(List<RawPath> others) {
        return new SourceSelection(others, names, rules, bounds, handling);
    }

    /** The same with only these names. */
    SourceSelection named(List<RawPath> others) {
        return new SourceSelection(sources, others, rules, bounds, handling);
    }

    public SourceSelection {
        handling = Set.copyOf(handling);
        sources = List.copyOf(sources);
        names = names == null ? null : List.copyOf(names);
        rules = List.copyOf(rules);
    }
}
