package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * One source as the user wrote it, split by rsync's rule: {@code a/dir} gives entries {@code dir/…} relative to the
 * directory {@code a}; {@code a/dir/}, {@code .}, {@code ..} and paths that end in these give the contents of the
 * directory, which is its own base.
 *
 * @param argument as written
 * @param base the directory that files of this source are relative to
 * @param name of the file in the base; empty for the contents of the base
 * @param path of the entry: the name, unless the source has a target of its own
 */
record SourceArgument(RawPath argument, RawPath base, RawPath name, RawPath path) {
    static SourceArgument of(RawPath argument) {
        return argument.meansDirectory()
                ? contentsOf(argument)
                : new SourceArgument(argument, argument.parent(), argument.name(), argument.name());
    }

    static SourceArgument contentsOf(RawPath directory) {
        return new SourceArgument(directory, directory, RawPath.EMPTY, RawPath.EMPTY);
    }

    SourceArgument to(RawPath target) {
        return new SourceArgument(argument, base, name, target);
    }

    boolean isContents() {
        return name.isEmpty();
    }

    boolean isRenamed() {
        return !path.equals(name);
    }

    /** Returns the path below the base of the file that an entry of this source stands for. */
    RawPath inBase(RawPath entry) {
        RawPath below = isRenamed() ? entry.relativeTo(path) : null;
        return below == null ? entry : name.resolve(below);
    }

    // By hand, for a short start.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SourceArgument source
                && argument.equals(source.argument)
                && base.equals(source.base)
                && name.equals(source.name)
                && path.equals(source.path);
    }

    @Override
    public int hashCode() {
        return argument.hashCode();
    }
}
