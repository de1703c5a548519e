package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.receipt.Receipt;
import org.jspecify.annotations.Nullable;

/** Writes entries that are in place to a receipt, and adds up their digests. For one thread. */
final class ReceiptEntry {
    private static final byte[] NO_DIGEST = new byte[0];

    private final NodeHash hash;
    private final TreeSum sum;
    private long unhashed;

    /** @param hash of all digests; NONE if there is no common one, and then none is written */
    ReceiptEntry(NodeHash hash) {
        this.hash = hash;
        this.sum = new TreeSum(hash.digest());
    }

    /** @param state of the shard, whose {@link ShardState#hash} this has */
    void addTo(Receipt receipt, PlannedEntry planned, ShardState state, long index) {
        FileEntry entry = planned.entry();
        boolean hashed = hash != DigestKind.NONE && entry.kind() == Kind.FILE;
        addTo(receipt, entry, hashed ? state.digest(index) : null);
    }

    /** @param known the digest of a file and its checksums; null if it is unknown */
    void addTo(Receipt receipt, FileEntry entry, byte @Nullable [] known) {
        boolean file = entry.kind() == Kind.FILE;
        byte[] digest = known == null ? NO_DIGEST : known;
        if (file && known == null) {
            unhashed++;
            sum.addUnknown();
        } else {
            sum.add(entry, hash.digestOf(digest));
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
