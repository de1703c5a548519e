package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import org.jspecify.annotations.Nullable;

/** A session that nobody watches: the server's side, where the client is told everything. */
enum Unobserved implements TransferObserver {
    INSTANCE;

    @Override
    public void onStart(String session, int lanes, String transport, String peer) {}

    @Override
    public void onFile(
            String path, FileOutcome outcome, long sizeBytes, @Nullable FailureKind kind, @Nullable String reason) {}

    @Override
    public void onWarning(String message) {}
}
