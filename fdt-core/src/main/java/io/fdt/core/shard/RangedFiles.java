package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeDigests;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a job that are copied in ranges, and their digests, combined from those of the ranges. A job has at most
 * some forty ranges for each shard, so all are kept in memory. For one use and one thread.
 */
final class RangedFiles {
    private final NodeHash hash;
    private final Map<RawPath, NodeDigests> files = new HashMap<>();

    /** @param hash of all digests; NONE if there is no common one */
    RangedFiles(NodeHash hash) {
        this.hash = hash;
    }

    /** @param digest null if no run hashed it */
    void add(FileEntry entry, FileRange range, byte @Nullable [] digest) {
        NodeDigests nodes = files.computeIfAbsent(entry.path(), path -> new NodeDigests(hash));
        if (digest != null && hash != DigestKind.NONE) {
            nodes.add(range.offset(), range.lengthBytes(), digest);
        }
    }

    /** Null if not every range was hashed. */
    byte @Nullable [] digest(FileEntry entry) {
        NodeDigests nodes = files.get(entry.path());
        return nodes != null && nodes.coveredBytes() == entry.whole().sizeBytes() ? nodes.root() : null;
    }
}
