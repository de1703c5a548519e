package io.fdt.core.files;

import io.fdt.core.failure.Failure;
import io.fdt.core.run.JobEnd;
import org.jspecify.annotations.Nullable;

/**
 * The result of an operation. Immutable.
 *
 * @param failure of the operation as a whole, or of its paths: their own if none was done, else SOME_FILES_FAILED
 * @param done paths that were found or changed
 * @param failed paths that the observer was told about
 */
public record OperationSummary(@Nullable Failure failure, long done, long failed) implements JobEnd {}
