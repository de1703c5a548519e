package io.fdt.core.verify;

import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.Consumer;

/**
 * The receipt that an earlier run of a copy left where a new one is to be written: what it knows of files that the new
 * run does not move. It counts only for the same target and the same kind of digest. One thread.
 */
public final class EarlierReceipt {
    private static final byte[] NO_DIGEST = new byte[0];

    /** Of a copy that has none. */
    public static final EarlierReceipt NONE = new EarlierReceipt(new ReceiptEntries());

    private final ReceiptEntries entries;
    private final BitSet settled = new BitSet();

    private EarlierReceipt(ReceiptEntries entries) {
        this.entries = entries;
    }

    /** Knows nothing where there is no such receipt; what stands there instead is nobody's trouble yet. */
    public static EarlierReceipt read(RawPath file, RawPath target, DigestKind digest) {
        try {
            if (Files.isRegularFile(Path.of(file.text()))) {
                ReceiptReader.Receipt receipt = ReceiptReader.read(file);
                if (receipt.digest() == digest && target.text().equals(receipt.target())) {
                    return new EarlierReceipt(receipt.entries());
                }
            }
        } catch (TransferException | InvalidPathException none) {
            // Whoever writes the new one finds out what is wrong with the name.
        }
        return NONE;
    }

    /** The new run has settled a path; the digest of a file that is as it was then, otherwise empty. */
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
        return same ? known.digest() : NO_DIGEST;
    }

    /** What the new run did not come to. */
    public void forEachUnsettled(Consumer<CheckedEntry> each) {
        for (int i = settled.nextClearBit(0); i < entries.count(); i = settled.nextClearBit(i + 1)) {
            each.accept(entries.entry(i));
        }
    }
}
