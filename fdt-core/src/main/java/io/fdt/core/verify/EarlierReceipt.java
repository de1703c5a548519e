package io.fdt.core.verify;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.Consumer;

/**
 * The receipt of an earlier run of a copy, in the place of the new one: its digests and checksums of files that the new
 * run does not copy. It counts only for the same target and the same kind of digest. For one thread.
 */
public final class EarlierReceipt {
    private static final byte[] NO_DIGEST = new byte[0];

    /** For a copy that has none. */
    public static final EarlierReceipt NONE = new EarlierReceipt(new ReceiptEntries(), 0);

    private final ReceiptEntries entries;
    private final int hashBytes;
    private final BitSet settled = new BitSet();

    private EarlierReceipt(ReceiptEntries entries, int hashBytes) {
        this.entries = entries;
        this.hashBytes = hashBytes;
    }

    /** Empty if there is no such receipt; a problem with the file is not reported here. */
    public static EarlierReceipt read(RawPath file, RawPath target, NodeHash hash) {
        try {
            if (Files.isRegularFile(Path.of(file.text()))) {
                ReceiptReader.Receipt receipt = ReceiptReader.read(file, hash);
                boolean hashed = hash.digest() != DigestKind.NONE;
                if ((!hashed || receipt.hash() == hash.digest())
                        && target.text().equals(receipt.target())) {
                    return new EarlierReceipt(receipt.entries(), hash.lengthBytes());
                }
            }
        } catch (TransferException | InvalidPathException none) {
            // Writing the new receipt reports what is wrong with the name.
        }
        return NONE;
    }

    /** The new run has settled a path; returns the hash of a file that has not changed since, otherwise empty. */
    public byte[] settle(FileEntry entry) {
        int index = entries.find(entry.path());
        if (index < 0) {
            return NO_DIGEST;
        }
        settled.set(index);
        CheckedEntry known = entries.entry(index);
        FileEntry then = known.entry();
        boolean same = then != null
                && then.kind() == entry.kind()
                && then.sizeBytes() == entry.sizeBytes()
                && then.modifiedSeconds() == entry.modifiedSeconds()
                && then.modifiedNanos() == entry.modifiedNanos();
        return same && known.digest().length == hashBytes ? known.digest() : NO_DIGEST;
    }

    /** Visits what the new run did not reach. */
    public void forEachUnsettled(Consumer<CheckedEntry> each) {
        for (int i = settled.nextClearBit(0); i < entries.count(); i = settled.nextClearBit(i + 1)) {
            each.accept(entries.entry(i));
        }
    }
}
