package io.fdt.core.storage.source;

import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;

/** Receives what a walk could not read, while it runs. Called on the thread that walks; paths are as in entries. */
public interface SourceProblems {
    /** It should have been moved and cannot be: it is unreadable, has vanished, its path is too long. */
    void onFailed(RawPath path, TransferException reason);

    /** It is not moved by rule: a socket, a device, a link when links are not preserved. */
    void onSkipped(RawPath path, String reason);

    /** The selection leaves the file out by its size or time. */
    default void onLeftOut(RawPath path) {}
}
