package io.fdt.core;

import org.jspecify.annotations.Nullable;

/** The result of a job. */
public interface JobEnd {
    /** Null if everything that was requested is done. */
    @Nullable FailureKind failure();

    default int exitCode() {
        FailureKind failure = failure();
        return failure == null ? 0 : failure.exitCode();
    }
}
