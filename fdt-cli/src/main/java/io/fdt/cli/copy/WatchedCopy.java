package io.fdt.cli.copy;

import io.fdt.cli.monitor.Monitoring;
import io.fdt.core.FailureKind;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.transfer.TransferObserver;
import org.jspecify.annotations.Nullable;

/** Also reports the session of a transfer to a monitor, and records why files failed. Thread-safe. */
final class WatchedCopy implements TransferObserver {
    private final TransferObserver display;
    private final Monitoring monitoring;
    private final int askedLanes;
    private volatile boolean failedForGood;

    /** @param askedLanes the number of lanes that the user requested; 0 for none */
    WatchedCopy(TransferObserver display, Monitoring monitoring, int askedLanes) {
        this.askedLanes = askedLanes;
        this.display = display;
        this.monitoring = monitoring;
    }

    /** Whether all files that failed had changed or vanished in the source. */
    boolean onlyChanged() {
        return !failedForGood;
    }

    @Override
    public void onActivity(SessionActivity session) {
        monitoring.observe(session);
        display.onActivity(session);
    }

    @Override
    public void onStart(String session, int lanes, String transport, String peer) {
        display.onStart(session, lanes, transport, peer);
        if (lanes < askedLanes) {
            display.onWarning("the server granted " + lanes + " of the " + askedLanes
                    + " lanes of -P; its --max-lanes, memory or descriptors allow no more");
        }
    }

    @Override
    public void onFile(
            String path, FileOutcome outcome, long sizeBytes, @Nullable FailureKind kind, @Nullable String reason) {
        if (outcome == FileOutcome.FAILED && kind != FailureKind.SOURCE_CHANGED) {
            failedForGood = true;
        }
        display.onFile(path, outcome, sizeBytes, kind, reason);
    }

    @Override
    public void onWarning(String message) {
        display.onWarning(message);
    }
}
