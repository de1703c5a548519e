package io.fdt.core.verify;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.verify.VerifyObserver.Finding;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The findings of a verification: reports them at once, and counts them. For the verification's thread. */
final class Findings {
    private final VerifyPlan plan;
    private final VerifyObserver observer;
    private final RunningTotals totals;
    private final TreeSum sum;
    private long files;
    private long bytes;
    private long unflushed;
    private final Map<Finding, Long> counts = new EnumMap<>(Finding.class);

    Findings(VerifyPlan plan, HashKind hash, RunningTotals totals, VerifyObserver observer) {
        this.plan = plan;
        this.observer = observer;
        this.totals = totals;
        this.sum = new TreeSum(hash instanceof DigestKind tree ? tree : DigestKind.NONE);
    }

    /** Counts an entry of the verified tree, whatever the result. */
    void count(CheckedEntry checked) {
        FileEntry entry = checked.entry();
        if (entry == null) {
            sum.addUnknown();
            return;
        }
        noteDoubt(checked);
        if (entry.kind() == FileEntry.Kind.FILE) {
            files++;
            bytes += entry.sizeBytes();
        }
        if (checked.failure() == null) {
            sum.add(entry, checked.digest());
        } else {
            sum.addUnknown();
        }
    }

    /** Notes whether the file of a tree was flushed. */
    void noteDoubt(CheckedEntry checked) {
        FileEntry entry = checked.entry();
        unflushed += entry != null && entry.doubt() != null ? 1 : 0;
    }

    void missing(RawPath path) {
        report(path, Finding.MISSING, null);
    }

    void extra(RawPath path) {
        report(path, Finding.EXTRA, null);
    }

    void different(RawPath path, String what) {
        report(path, Finding.DIFFERENT, what);
    }

    /** The expected content is not known. */
    void unverified(RawPath path) {
        report(path, Finding.UNVERIFIED, "the receipt has no digest of it; only its size was compared");
    }

    /** Entries that are not compared and whose names are not known. */
    void uncompared(long entries) {
        counts.merge(Finding.UNVERIFIED, entries, Long::sum);
    }

    /** @param side where it cannot be read */
    void unreadable(CheckedEntry checked, VerifyPlan.Side side) {
        Failure why = checked.failure();
        String reason = why == null ? "cannot be read" : why.reason();
        report(checked.path(), Finding.UNREADABLE, reason + " (in " + side.shown() + ")");
    }

    private void report(RawPath path, Finding finding, @Nullable String detail) {
        counts.merge(finding, 1L, Long::sum);
        totals.finding();
        observer.onDifference(path.isEmpty() ? plan.tree().shown() : path.display(), finding, detail);
    }

    private long counted(Finding finding) {
        return counts.getOrDefault(finding, 0L);
    }

    /** @param early what ended the verification early; null if it was completed */
    VerifySummary summary(@Nullable TransferException early) {
        TransferException failure = early != null ? early : verdict();
        if (unflushed > 0) {
            observer.onWarning("files that were compared and that their copy did not flush: " + unflushed
                    + "; a power failure may take their data until a copy with --durable end runs again");
        }
        return new VerifySummary(
                failure == null ? null : failure.failure(),
                files,
                bytes,
                new VerifySummary.Differences(
                        counted(Finding.DIFFERENT),
                        counted(Finding.MISSING),
                        counted(Finding.EXTRA),
                        counted(Finding.UNREADABLE),
                        counted(Finding.UNREADABLE) + counted(Finding.UNVERIFIED)),
                totals.elapsedNanos(),
                early != null ? null : sum.print());
    }

    private @Nullable TransferException verdict() {
        if (counted(Finding.DIFFERENT) + counted(Finding.MISSING) + counted(Finding.EXTRA) > 0) {
            return Cause.INTEGRITY.failure(plan.tree().shown() + " is not the same");
        }
        if (counted(Finding.UNREADABLE) + counted(Finding.UNVERIFIED) > 0) {
            return Cause.SOURCE.failure("not everything in " + plan.tree().shown() + " could be verified");
        }
        return null;
    }
}
