package io.fdt.core.listing;

import io.fdt.core.FailureKind;
import io.fdt.core.JobEnd;
import org.jspecify.annotations.Nullable;

/**
 * How a listing ended. Immutable.
 *
 * When cleaning, entries are what was removed, and unfinished files those that were kept.
 *
 * @param failure null when everything was listed; SOURCE also when something could not be read and all else was listed
 * @param unfinishedFiles partials and journals that were met; counted only where the plan asks for the space
 * @param unreadable entries and directories that could not be read
 */
public record ListSummary(
        @Nullable FailureKind failure,
        @Nullable String message,
        long entries,
        long bytes,
        long unfinishedFiles,
        long unfinishedBytes,
        long unreadable)
        implements JobEnd {}
