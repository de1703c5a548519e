package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.receipt.Receipt;
import org.jspecify.annotations.Nullable;

/** Writes entries that are in place to a receipt, and adds up their digests. For one thread. */
final class ReceiptEntry {
    private static final byte[] NO_DIGEST = new byte[0];

    private final DigestKind kind;
    private final TreeSum sum;
    private long unhashed;

    /** @param kind of all digests; NONE if there is no common one, and then none is written */
    ReceiptEntry(DigestKind kind) {
        this.kind = kind;
        this.sum = new TreeSum(kind);
    }

    void addTo(Receipt receipt, PlannedEntry planned, ShardState state, long index) {
        FileEntry entry = planned.entry();
        boolean hashed = kind != DigestKind.NONE && entry.kind() == Kind.FILE;
        addTo(receipt, entry, hashed ? state.digest(index) : null);
    }

    /** @param known the digest of a file; null if it is unknown */
    void addTo(Receipt receipt, FileEntry entry, byte @Nullable [] known) {
        boolean file = entry.kind() == Kind.FILE;
        byte[] digest = known == null ? NO_DIGEST : known;
        if (file && known == null) {
            unhashed++;
            sum.addUnknown();
        } else {
            sum.add(entry, digest);
        }
        receipt.add(entry, entry.sizeBytes(), digest, file && known == null ? "skipped" : "copied", null);
    }

    /** Files that were found in place and that no run hashed. */
    long unhashed() {
        return unhashed;
    }

    /** Null if a file was not hashed. */
    @Nullable String sum() {
        return sum.print();
    }
}
