package io.fdt.core.files;

import io.fdt.core.plan.FileOperation;
import io.fdt.core.run.Running;

/** Operations on the files of one side. Closing ends those that run. Thread-safe. */
public interface Operations extends AutoCloseable {
    /** Starts an operation, which may have to wait for others. */
    Running<OperationSummary> start(FileOperation operation, OperationObserver observer);

    @Override
    void close();
}
