package io.fdt.core.transfer.receiving;

import io.fdt.core.control.Session;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.storage.target.TargetSweep;
import io.fdt.core.transfer.Ledger;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * At the end of a copy, deletes what the source does not have, in short time slices, and reports it to the sender. With
 * a limit, everything is counted first, so that nothing is deleted if the limit is exceeded. For the session's thread.
 */
final class Deletions {
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long MAX_QUEUED_MESSAGE_BYTES = 4L << 20;

    private final Session session;
    private final Targets targets;
    private final Ledger ledger;
    private final long maxFiles;
    private final boolean dryRun;
    private final PathReports reports;
    private boolean counting;
    private long files;
    private @Nullable TargetSweep sweep;

    Deletions(Session session, Targets targets, Ledger ledger, Mirror mirror, boolean dryRun) {
        this.session = session;
        this.targets = targets;
        this.ledger = ledger;
        this.maxFiles = mirror.maxFiles();
        this.dryRun = dryRun;
        this.reports = new PathReports(session);
        this.counting = !dryRun && maxFiles != Mirror.UNLIMITED;
        this.sweep = targets.sweep(!dryRun && !counting, this::onExtra);
    }

    boolean isDone() {
        return sweep == null;
    }

    /**
     * Continues for a short time; false if there is nothing to do now.
     *
     * @throws TransferException LIMIT, if there is more to delete than the user allows
     */
    boolean work() {
        TargetSweep sweeping = sweep;
        if (sweeping == null || session.queuedBytes() > MAX_QUEUED_MESSAGE_BYTES) {
            return false;
        }
        long sliceEnd = session.clock().nanoTime() + SLICE_NANOS;
        while (session.clock().nanoTime() < sliceEnd) {
            if (!sweeping.step()) {
                onSwept();
                break;
            }
        }
        reports.send();
        return true;
    }

    private void onSwept() {
        sweep = null;
        if (files > maxFiles) {
            throw Cause.LIMIT.failure(
                    "the target has " + files + " files that the source does not have, more than --max-delete "
                            + maxFiles + " allows: nothing was deleted");
        }
        if (counting) {
            counting = false;
            sweep = targets.sweep(true, this::onExtra);
        }
    }

    private void onExtra(RawPath path, boolean directory, @Nullable TransferException failure) {
        files += !directory && failure == null && (counting || dryRun) ? 1 : 0;
        if (counting) {
            return;
        }
        if (failure == null) {
            ledger.deleted(path, directory);
        } else {
            ledger.failed(path, 0, failure.failure());
        }
        reports.add(path, directory, failure);
    }

    void close() {
        if (sweep != null) {
            sweep.close();
        }
    }
}
