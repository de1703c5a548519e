package io.fdt.cli.copy;

import io.fdt.cli.monitor.Monitoring;
import io.fdt.core.FailureKind;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.transfer.TransferObserver;
import org.jspecify.annotations.Nullable;

/** Shows the session of a transfer to a monitor, too. */
record WatchedCopy(TransferObserver display, Monitoring monitoring) implements TransferObserver {
    @Override
    public void onActivity(SessionActivity session) {
        monitoring.observe(session);
        display.onActivity(session);
    }

    @Override
    public void onStart(String session, int lanes, String transport, String peer) {
        display.onStart(session, lanes, transport, peer);
    }

    @Override
    public void onFile(
            String path, FileOutcome outcome, long sizeBytes, @Nullable FailureKind kind, @Nullable String reason) {
        display.onFile(path, outcome, sizeBytes, kind, reason);
    }

    @Override
    public void onWarning(String message) {
        display.onWarning(message);
    }
}
