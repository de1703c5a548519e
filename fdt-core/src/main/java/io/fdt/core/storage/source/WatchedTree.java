package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor.Writers;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.TreeWatch;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The files that {@link CompleteFiles} decides about. For one thread. */
interface WatchedTree {
    /**
     * A file as it was found.
     *
     * @param writers who has it open for writing
     */
    record Look(FileStatus.State state, Writers writers) {}

    /** Reports the events since the last call. */
    void report(TreeWatch.Events to);

    /** Watches a directory and those below it from now on, and passes on the files that they have already. */
    void scan(RawPath directory, BiConsumer<RawPath, FileStatus.State> found);

    /** Looks at a file; null if there is none by now, or none to copy. */
    @Nullable Look look(RawPath file);

    /** Whether events report every change. */
    boolean reportsAll();
}
