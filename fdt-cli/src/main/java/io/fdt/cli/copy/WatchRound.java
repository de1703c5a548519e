package io.fdt.cli.copy;

import io.fdt.cli.display.Display;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What becomes of the files of one round. A failure is reported only the first time that the file fails. */
final class WatchRound implements TransferObserver {
    private final List<RawPath> names;
    private final Map<String, RawPath> taken = new HashMap<>();
    private final WatchTotals totals;
    private final Display display;

    // Guarded by this.
    private final Set<RawPath> inPlace = new HashSet<>();
    private final Set<RawPath> failed = new HashSet<>();
    private final Set<RawPath> skipped = new HashSet<>();
    private boolean begun;
    private boolean newFailures;

    /** @param files relative to the watched directory, whose own name in the target is {@code prefix} */
    WatchRound(List<RawPath> files, RawPath prefix, WatchTotals totals, Display display) {
        this.names = files.stream().map(prefix::resolve).toList();
        for (int i = 0; i < files.size(); i++) {
            taken.put(names.get(i).display(), files.get(i));
        }
        this.totals = totals;
        this.display = display;
    }

    /** The paths to copy, as the plan has them. */
    List<RawPath> names() {
        return names;
    }

    synchronized Set<RawPath> inPlace() {
        return Set.copyOf(inPlace);
    }

    synchronized Set<RawPath> failed() {
        return Set.copyOf(failed);
    }

    /**
     * The files that may be in place because of this round, if it was lost: its sources are still there.
     *
     * @param reportedOnly only those that are known to be
     */
    synchronized Set<RawPath> unfinished(boolean reportedOnly) {
        if (!begun) {
            return Set.of();
        }
        Set<RawPath> files = new HashSet<>(reportedOnly ? inPlace : taken.values());
        files.removeAll(skipped);
        files.removeAll(failed);
        return files;
    }

    synchronized boolean hasNewFailures() {
        return newFailures;
    }

    @Override
    public void onStart(String session, int lanes, String transport, String peer) {
        synchronized (this) {
            begun = true;
        }
        display.onStart(session, lanes, transport, peer);
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        RawPath file = taken.get(path);
        if (outcome != FileOutcome.FAILED || file == null) {
            display.onFile(path, outcome, sizeBytes, why);
            return;
        }
        synchronized (this) {
            failed.add(file);
        }
        Failure known = why == null ? Failure.of(Cause.INTERNAL, "") : why;
        Summary.FailedFile failure = new Summary.FailedFile(path, known);
        if (totals.isNewFailure(file, failure)) {
            synchronized (this) {
                newFailures = true;
            }
            display.onFile(path, outcome, sizeBytes, why);
            display.onWarning(failure.text()
                    + (known.is(Cause.CHANGED)
                            ? ". fdt will copy it when it is complete again."
                            : ". fdt will retry."));
        }
    }

    @Override
    public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> checksums) {
        RawPath file = taken.get(path);
        if (file != null) {
            synchronized (this) {
                inPlace.add(file);
                if (outcome == FileOutcome.SKIPPED) {
                    skipped.add(file);
                }
            }
        }
        display.onFileInPlace(path, outcome, sizeBytes, checksums);
    }

    @Override
    public boolean wantsChecksumsOfSkipped() {
        return display.wantsChecksumsOfSkipped();
    }

    @Override
    public void onActivity(SessionActivity session) {
        display.onActivity(session);
    }

    @Override
    public void onWarning(String message) {
        display.onWarning(message);
    }
}
