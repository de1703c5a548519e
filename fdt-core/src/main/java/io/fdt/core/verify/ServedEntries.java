package io.fdt.core.verify;

import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.VerifyMessage;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a verification: sends each entry to the client, and is at most {@link Bounds#MAX_VERIFY_PAGES}
 * pages ahead of it. The thread {@code fdt-verify-send} waits for entries and for the client; messages are handled on
 * the session's thread. If the client leaves, both end.
 */
public final class ServedEntries implements SessionHandler, AutoCloseable {
    private static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Session session;
    private final EntrySource source;
    private final @Nullable NameQueue names;
    private final WarningLimit warnings;
    private final Semaphore window = new Semaphore(Bounds.MAX_VERIFY_PAGES);
    private @Nullable Thread sender;
    private volatile boolean finished;
    private final TransferFigures figures;

    /**
     * The client's names go to the queue, which is null if it requests everything; {@code figures} counts the files
     * that were sent.
     */
    ServedEntries(
            Session session,
            EntrySource source,
            @Nullable NameQueue names,
            WarningLimit warnings,
            TransferFigures figures) {
        this.session = session;
        this.source = source;
        this.names = names;
        this.warnings = warnings;
        this.figures = figures;
    }

    /** For a client that sends no names: it receives everything. */
    public ServedEntries(Session session, EntrySource source, WarningLimit warnings, TransferFigures figures) {
        this(session, source, null, warnings, figures);
    }

    /** On the session's thread. */
    public void begin() {
        sender = session.budget().start("fdt-verify-send", this::sendAll);
    }

    private void sendAll() throws InterruptedException {
        try {
            boolean more = true;
            while (more) {
                CheckedEntry first = source.next();
                if (first != null) {
                    window.acquire();
                }
                EntryPage page = session.budget().inTurn(() -> EntryPage.fill(source, first));
                page.entries().forEach(this::count);
                if (!page.entries().isEmpty()) {
                    session.send(new VerifyMessage.VerifyPage(page.entries()));
                }
                more = page.more();
            }
            warnings.reportRest();
            session.send(new VerifyMessage.VerifyEnd());
            finished = true;
            session.execute(() -> {});
        } catch (RuntimeException | Error e) {
            session.interrupt(TransferException.of(e));
        }
    }

    private void count(CheckedEntry checked) {
        FileEntry entry = checked.entry();
        if (entry != null && entry.kind() == FileEntry.Kind.FILE) {
            figures.filesDone.incrementAndGet();
            figures.bytesDone.addAndGet(entry.sizeBytes());
        }
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return type == VerifyMessage.VerifyMore.class
                || ((type == VerifyMessage.VerifyEnd.class || type == VerifyMessage.VerifyNames.class)
                        && names != null);
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (message instanceof VerifyMessage.VerifyMore more
                && more.pages() <= Bounds.MAX_VERIFY_PAGES - window.availablePermits()) {
            window.release(more.pages());
        } else if (message instanceof VerifyMessage.VerifyEnd && names != null) {
            names.end();
        } else if (!(message instanceof VerifyMessage.VerifyNames more) || names == null || !names.add(more.names())) {
            throw SessionHandler.unexpected(session, message);
        }
    }

    @Override
    public boolean isDone() {
        return finished;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        if (!finished) {
            throw SessionHandler.lost(session, cause, " disconnected before the end");
        }
    }

    @Override
    public void close() {
        Thread begun = sender;
        if (begun != null) {
            begun.interrupt();
            HashThreads.joinAll(List.of(begun), GOODBYE_NANOS);
        }
    }
}
