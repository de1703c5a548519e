package io.fdt.core.wire;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.TargetRules.Preserve;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A record in the log of a shard's run. */
public sealed interface RunRecord {
    /** The result of an entry. */
    enum EntryOutcome {
        /** It was copied, and both sides have its digest. */
        IN_PLACE,
        /** It already existed and was the same by the comparison that the run used; a digest is that of its source. */
        FOUND,
        /** It is not in place. */
        FAILED
    }

    /**
     * An entry is settled.
     *
     * @param index in the shard
     * @param digest with its checksums; empty if its bytes were not hashed
     */
    record Entry(
            long index,
            EntryOutcome outcome,
            long bytes,
            NodeHash hash,
            byte[] digest,
            @Nullable String reason) implements RunRecord {}

    /** @param bytesDone in place or durable */
    record Progress(long bytesDone, long bytesMoved) implements RunRecord {}

    /** Of several the last one counts, and records may follow. */
    record End(int exitCode, long bytesMoved) implements RunRecord {}

    /** Entries before it count, with the metadata that the run kept. */
    record Confirmed(Set<Preserve> preserve) implements RunRecord {}
}
