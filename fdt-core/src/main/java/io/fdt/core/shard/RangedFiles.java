package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeDigests;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a job that come in ranges: their digests, made of those of the ranges that runs told. A job has some
 * forty ranges a shard at most, so they are held. One use, one thread.
 */
final class RangedFiles {
    private final DigestKind kind;
    private final Map<RawPath, NodeDigests> files = new HashMap<>();

    /** @param kind of all digests; NONE where there is no common one */
    RangedFiles(DigestKind kind) {
        this.kind = kind;
    }

    /** @param digest null where no run hashed it */
    void add(FileEntry entry, FileRange range, byte @Nullable [] digest) {
        NodeDigests nodes = files.computeIfAbsent(entry.path(), path -> new NodeDigests(kind));
        if (digest != null && kind != DigestKind.NONE) {
            nodes.add(range.offset(), range.lengthBytes(), digest);
        }
    }

    /** Null where not every range was hashed. */
    byte @Nullable [] digest(FileEntry entry) {
        NodeDigests nodes = files.get(entry.path());
        return nodes != null && nodes.coveredBytes() == entry.whole().sizeBytes() ? nodes.root() : null;
    }
}
