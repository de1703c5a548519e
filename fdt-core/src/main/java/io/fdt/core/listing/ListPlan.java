package io.fdt.core.listing;

import io.fdt.core.plan.RawPath;

/**
 * What is to be listed. Immutable.
 *
 * @param path on the server; empty for the exported roots themselves
 * @param recursive also everything below
 * @param space also the room on the file system, and what unfinished copies occupy of what is listed
 */
public record ListPlan(String host, int port, RawPath path, boolean recursive, boolean space, long timeoutMs) {
    private static final long USUAL_TIMEOUT_MS = 30_000;

    /** What a directory holds, or one file. */
    public static ListPlan of(String host, int port, String path) {
        return new ListPlan(host, port, RawPath.ofText(path), false, false, USUAL_TIMEOUT_MS);
    }
}
