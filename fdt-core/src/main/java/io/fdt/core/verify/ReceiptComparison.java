package io.fdt.core.verify;

import io.fdt.core.failure.Cause;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;

/** Compares a receipt with what is where its entries were put. For one thread. */
record ReceiptComparison(ReceiptEntries receipt, VerifyPlan.Side side, EntryRules rules, Findings findings) {
    /** @param placed one answer for each entry of the receipt, in its order */
    void compare(EntrySource placed) throws InterruptedException {
        for (int index = 0; index < receipt.count(); index++) {
            CheckedEntry found = placed.next();
            if (found == null) {
                throw Cause.MALFORMED.failure(side.shown() + " sent too few entries");
            }
            compare(receipt.entry(index), found);
        }
    }

    private void compare(CheckedEntry expected, CheckedEntry found) {
        if (found.isAbsent()) {
            findings.missing(expected.path());
            return;
        }
        findings.count(found);
        String difference = found.entry() == null ? null : rules.difference(expected, found);
        if (difference != null) {
            findings.different(expected.path(), difference);
        } else if (found.failure() != null) {
            findings.unreadable(found, side);
        } else if (isUnknown(expected)) {
            findings.unverified(expected.path());
        }
    }

    /** The size of an empty file suffices. */
    private static boolean isUnknown(CheckedEntry expected) {
        FileEntry entry = expected.entry();
        return entry != null
                && entry.kind() == FileEntry.Kind.FILE
                && entry.sizeBytes() != 0
                && expected.digest().length == 0;
    }

    /** Finds everything that the walk meets and the receipt does not contain; the walk is in {@link TreeOrder}. */
    void findExtras(EntrySource walked, boolean onlyFiles) throws InterruptedException {
        int index = 0;
        for (CheckedEntry found = walked.next(); found != null; found = walked.next()) {
            RawPath path = found.path();
            FileEntry entry = found.entry();
            if (entry == null) {
                findings.unreadable(found, side);
                continue;
            }
            while (index < receipt.count() && TreeOrder.compare(receipt.path(index), path) < 0) {
                index++;
            }
            boolean known = index < receipt.count() && receipt.path(index).equals(path);
            boolean listable = !onlyFiles || entry.kind() == FileEntry.Kind.FILE;
            if (!known && listable && !path.isEmpty()) {
                findings.extra(path);
            }
        }
    }
}
