package io.fdt.core.storage.source;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;

/**
 * Is notified during a walk of what could not be read. Called on the thread that walks; paths are like those of
 * entries.
 */
public interface SourceProblems {
    /** Called if a path should have been moved and cannot be: it is unreadable, has vanished, or is too long. */
    void onFailed(RawPath path, TransferException reason);

    /** Called if a path is not moved by rule: a socket, a device, or a link if links are not preserved. */
    void onSkipped(RawPath path, String reason);

    /** Called if the selection excludes a file by its size or time, or anything by its file system. */
    default void onLeftOut(RawPath path) {}
}
