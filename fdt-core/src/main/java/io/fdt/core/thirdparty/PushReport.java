package io.fdt.core.thirdparty;

import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.ThirdPartyMessage.FileEnd;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sending server's side of a copy between two servers: reports the copy to the client that requested it, and ends
 * when the copy ends or, unless the copy is detached, when the client leaves. Observer calls come on the copy's thread,
 * all others on the session's thread.
 */
final class PushReport implements SessionHandler, TransferObserver {
    private static final long TELL_NANOS = 1_000_000_000L;

    private final Session session;
    private final Consumer<SessionActivity> watcher;
    private final FilePages files;
    private final @Nullable DetachedCopy detached;
    private final ReceiptParts receipt;
    /** A copy that has not begun has no receipt. */
    private volatile boolean started;
    /** The result, while the receipt is sent. */
    private @Nullable Summary result;

    private @Nullable TransferJob job;
    private long lastReport;
    private long movedBytes;
    private @Nullable Summary end;

    /**
     * @param watcher receives the session with the other server
     * @param detached the copy that outlives its client; null for one that ends with it
     * @param receipt for the client; null for none
     */
    PushReport(
            Session session,
            Consumer<SessionActivity> watcher,
            @Nullable DetachedCopy detached,
            @Nullable KeptReceipt receipt) {
        this.detached = detached;
        this.session = session;
        this.watcher = watcher;
        this.files = new FilePages(page -> session.send(new ThirdPartyMessage.ThirdPartyFiles(page)));
        this.receipt = new ReceiptParts(receipt, files, session::send);
        this.lastReport = session.clock().nanoTime();
    }

    void follow(TransferJob copy) {
        job = copy;
        if (detached != null) {
            detached.follow(copy);
        }
    }

    /** Called when the copy has ended and all its events were delivered. */
    void onEnd(Summary summary) {
        if (detached != null) {
            detached.onEnd(summary);
        }
        files.finish();
        sendProgress();
        result = summary;
        sendRest();
    }

    private void sendRest() {
        Summary last = result;
        if (last != null && (!started || receipt.sendMore())) {
            result = null;
            session.send(new ThirdPartyMessage.ThirdPartyEnded(last));
            end = last;
        }
    }

    /** The result of the copy; null before its end. */
    @Nullable Summary end() {
        return end;
    }

    /** Stops all reports. */
    void close() {
        files.close();
        receipt.close();
    }

    @Override
    public void onActivity(SessionActivity activity) {
        session.activity().passOn();
        watcher.accept(activity);
    }

    @Override
    public void onStart(String name, int lanes, String transport, String peer) {
        ThirdPartyMessage.ThirdPartyStarted start =
                new ThirdPartyMessage.ThirdPartyStarted(name, lanes, transport, peer);
        if (detached != null) {
            detached.onStart(start);
        }
        session.send(start);
        started = true;
    }

    @Override
    public void onWarning(String message) {
        session.send(new SessionMessage.Warning(message));
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        add(new FileReport(path, FileEnd.valueOf(outcome.name()), Math.max(0, sizeBytes), Map.of(), why));
    }

    @Override
    public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> checksums) {
        add(new FileReport(path, FileEnd.valueOf(outcome.name()), Math.max(0, sizeBytes), checksums, null));
    }

    private void add(FileReport file) {
        if (detached != null) {
            detached.onFile(file);
            return;
        }
        try {
            files.add(file);
        } catch (InterruptedException e) {
            // The copy is ending and checks this flag itself.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return type == ThirdPartyMessage.ThirdPartyFilesHeard.class;
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (!(message instanceof ThirdPartyMessage.ThirdPartyFilesHeard heard) || !files.onConfirmed(heard.pages())) {
            throw SessionHandler.unexpected(session, message);
        }
        sendRest();
    }

    @Override
    public void onTick() {
        long now = session.clock().nanoTime();
        if (now - lastReport >= TELL_NANOS) {
            lastReport = now;
            files.flush();
            sendProgress();
        }
    }

    private void sendProgress() {
        TransferJob copy = job;
        if (copy != null) {
            Progress progress = copy.progress();
            ThirdPartyMessage message = new ThirdPartyMessage.ThirdPartyProgress(progress);
            if (progress.bytes().moved().durable() == movedBytes) {
                session.report(message);
            } else {
                movedBytes = progress.bytes().moved().durable();
                session.send(message);
            }
        }
    }

    @Override
    public boolean isDone() {
        return end != null;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        if (end == null && detached == null) {
            throw SessionHandler.lost(session, cause, ", which requested this copy, is gone");
        }
    }
}
