package io.fdt.core;

import org.jspecify.annotations.Nullable;

/** How a job ended. */
public interface JobEnd {
    /** Null when everything that was asked for is done. */
    @Nullable FailureKind failure();

    default int exitCode() {
        FailureKind failure = failure();
        return failure == null ? 0 : failure.exitCode();
    }
}
