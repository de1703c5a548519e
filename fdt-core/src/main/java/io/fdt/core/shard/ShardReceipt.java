package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.receipt.Receipt;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.ObjLongConsumer;

/**
 * Writes the receipt of a complete shard: all its entries, with the digests of all its runs together. A shard with a
 * receipt need not be run again. The run that writes it last has the most information, and concurrent runs do no harm.
 */
public final class ShardReceipt {
    private ShardReceipt() {}

    /** Writes it in the directory of the shard if everything is in place; returns whether it is. */
    public static boolean write(Path shardFile, String session) {
        ShardState state = ShardState.read(shardFile, count(shardFile));
        if (!state.isComplete()) {
            return false;
        }
        NodeHash hash = state.hash();
        NodeHash printed = hash == null ? DigestKind.NONE : hash;
        ReceiptEntry entry = new ReceiptEntry(printed);
        try (Shard shard = Shard.open(shardFile);
                Receipt receipt = new Receipt(JobFiles.receiptOf(shardFile), printed, session)) {
            shard.forEach((planned, index) -> entry.addTo(receipt, planned, state, index));
            receipt.finish(json -> {
                json.writeStringField("outcome", "ok");
                json.writeNumberField("exit_code", 0);
                json.writeStringField("job", shard.header().job());
                json.writeStringField("shard", JobFiles.nameOf(shardFile));
                json.writeNumberField("entries_in_place", state.entriesInPlace());
                json.writeNumberField("bytes", state.bytesInPlace());
                json.writeNumberField("bytes_sent", state.bytesMoved());
                json.writeNumberField("runs", state.runs());
                json.writeStringField("digest", entry.sum());
            });
        }
        return true;
    }

    /** Visits those of these entries, with their indices, of which no run has a digest. */
    public static void forEachUnhashed(Path shardFile, BitSet among, ObjLongConsumer<FileEntry> each) {
        ShardState state = ShardState.read(shardFile, count(shardFile));
        Shard.forEach(shardFile, (planned, index) -> {
            if (among.get((int) index) && !state.isHashed(index)) {
                each.accept(planned.entry(), index);
            }
        });
    }

    static long count(Path shardFile) {
        long count = 0;
        try (Shard shard = Shard.open(shardFile)) {
            while (shard.next() != null) {
                count++;
            }
        }
        return count;
    }
}
