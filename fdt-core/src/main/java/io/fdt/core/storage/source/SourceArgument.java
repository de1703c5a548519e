package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.WalkingResolver;

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
    private static final RawPath UP = RawPath.ofText("..");

    static SourceArgument of(RawPath argument) {
        RawPath name = argument.name();
        boolean contents =
                argument.endsWithSlash() || name.isEmpty() || name.equals(WalkingResolver.HERE) || name.equals(UP);
        return contents ? contentsOf(argument) : new SourceArgument(argument, argument.parent(), name);
    }

    static SourceArgument contentsOf(RawPath directory) {
        return new SourceArgument(directory, directory, RawPath.EMPTY);
    }

    boolean isContents() {
        return name.isEmpty();
    }
}
