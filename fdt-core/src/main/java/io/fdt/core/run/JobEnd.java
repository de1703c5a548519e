package io.fdt.core.run;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import org.jspecify.annotations.Nullable;

/** The result of a job. */
public interface JobEnd {
    /** Null if everything that was requested is done. */
    @Nullable Failure failure();

    /** What happened and to what; null if there was no failure. */
    default @Nullable String message() {
        Failure failure = failure();
        return failure == null ? null : failure.text();
    }

    default @Nullable FailureKind kind() {
        Failure failure = failure();
        return failure == null ? null : failure.kind();
    }

    default int exitCode() {
        Failure failure = failure();
        return failure == null ? 0 : failure.exitCode();
    }
}
