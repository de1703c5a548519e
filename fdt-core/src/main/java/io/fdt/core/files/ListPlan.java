package io.fdt.core.files;

import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * What to list or clean. Immutable.
 *
 * @param host empty to clean a directory of this host
 * @param path on the server; empty for the exported roots themselves, or what is in the only one
 * @param recursive also everything below
 * @param space also the space on the file system, and what unfinished copies occupy in the listed directories
 * @param cleaning null to list; otherwise remove the files of unfinished copies at and below the path
 */
public record ListPlan(
        String host,
        int port,
        RawPath path,
        boolean recursive,
        boolean space,
        long timeoutMs,
        @Nullable Cleaning cleaning) {
    public ListPlan {
        path.requireShort();
    }

    public ListPlan(String host, int port, RawPath path, boolean recursive, boolean space, long timeoutMs) {
        this(host, port, path, recursive, space, timeoutMs, null);
    }

    /** Returns this plan for a server that has just been started. */
    public ListPlan at(String newHost, int newPort, RawPath newPath) {
        return new ListPlan(newHost, newPort, newPath, recursive, space, timeoutMs, cleaning);
    }
}
