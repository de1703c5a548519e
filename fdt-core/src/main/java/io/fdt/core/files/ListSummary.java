package io.fdt.core.files;

import io.fdt.core.failure.Failure;
import io.fdt.core.run.JobEnd;
import org.jspecify.annotations.Nullable;

/**
 * The result of a listing. Immutable.
 *
 * When cleaning, entries are the removed files, and unfinished files those that were kept.
 *
 * @param failure null if everything was listed; SOURCE if something could not be read and everything else was listed
 * @param unfinishedFiles partials and journals found; counted only if the plan requests the space
 * @param unreadable entries and directories that could not be read
 */
public record ListSummary(
        @Nullable Failure failure,
        long entries,
        long bytes,
        long unfinishedFiles,
        long unfinishedBytes,
        long unreadable)
        implements JobEnd {}
