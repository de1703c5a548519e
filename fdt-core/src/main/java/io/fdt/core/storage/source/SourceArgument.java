package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;

/**
 * One source as the user wrote it, split by rsync's rule: {@code a/dir} gives entries {@code dir/…} relative to the
 * directory {@code a}; {@code a/dir/}, {@code .}, {@code ..} and paths that end in these give the contents of the
 * directory, which is its own base.
 *
 * @param argument as written
 * @param base the directory that entries of this source are relative to
 * @param name of the entry in the base; empty for the contents of the base
 */
record SourceArgument(RawPath argument, RawPath base, RawPath name) {
    static SourceArgument of(RawPath argument) {
        return argument.meansDirectory()
                ? contentsOf(argument)
                : new SourceArgument(argument, argument.parent(), argument.name());
    }

    static SourceArgument contentsOf(RawPath directory) {
        return new SourceArgument(directory, directory, RawPath.EMPTY);
    }

    boolean isContents() {
        return name.isEmpty();
    }
}
