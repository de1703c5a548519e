package io.fdt.core.verify;

import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.run.Threads;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.VerifyMessage;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the entries of a tree from a server, in pages. The server is at most {@link Bounds#MAX_VERIFY_PAGES} pages
 * ahead, because each page is acknowledged only when it has been used. Its own thread, {@code fdt-session}, handles the
 * messages; if entries are named, the thread that takes the entries sends the names.
 */
public final class RemoteEntries implements EntrySource, SessionHandler {
    private static final int NAMES_AHEAD = Bounds.MAX_VERIFY_NAMES / 2;
    private static final int MAX_PAGE_BYTES = 128 * 1024;
    private static final int NAME_OVERHEAD_BYTES = 16;
    private static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Session session;
    private final HashKind hash;
    private final @Nullable Iterator<VerifyName> names;
    private final RunningTotals totals;
    private final Consumer<String> warnings;
    private final LinkedBlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    /** Receives what a listing reports besides its entries, on the session's thread; null for a verification. */
    private final @Nullable Consumer<VerifyMessage.SpaceReport> spaces;

    private final Thread thread;
    private volatile boolean closed;
    private boolean endArrived;

    // State of the thread that takes entries.
    private final ArrayDeque<VerifyName> unanswered = new ArrayDeque<>();
    private Iterator<CheckedEntry> page = List.<CheckedEntry>of().iterator();
    private boolean pageOpen;
    private boolean namesEnded;
    private boolean ended;
    private RawPath last = RawPath.EMPTY;

    private sealed interface Arrival {}

    private record Page(List<CheckedEntry> entries) implements Arrival {}

    private record End() implements Arrival {}

    private record Broken(TransferException why) implements Arrival {}

    /** For a listing: in no particular order, and without digests. */
    public static RemoteEntries listed(
            Session session, Consumer<VerifyMessage.SpaceReport> spaces, Consumer<String> warnings) {
        return new RemoteEntries(session, DigestKind.NONE, null, new RunningTotals(), spaces, warnings);
    }

    /**
     * @param names of the requested entries, in tree order; null for all entries
     * @param spaces see the field
     */
    RemoteEntries(
            Session session,
            HashKind hash,
            @Nullable Iterator<VerifyName> names,
            RunningTotals totals,
            @Nullable Consumer<VerifyMessage.SpaceReport> spaces,
            Consumer<String> warnings) {
        this.session = session;
        this.hash = hash;
        this.names = names;
        this.totals = totals;
        this.spaces = spaces;
        this.warnings = warnings;
        this.thread = Threads.daemon("fdt-session", this::run);
        totals.listingBegins();
        session.attach(this);
        Threads.start(thread);
    }

    private void run() throws InterruptedException {
        try {
            session.run();
        } catch (RuntimeException | Error e) {
            TransferException failure = TransferException.of(e);
            arrivals.add(new Broken(failure));
            session.end(failure);
        }
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return type == VerifyMessage.VerifyPage.class
                || type == VerifyMessage.VerifyEnd.class
                || type == SessionMessage.Warning.class
                || (type == VerifyMessage.SpaceReport.class && spaces != null);
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (message instanceof VerifyMessage.VerifyPage received && !endArrived) {
            if (arrivals.size() >= Bounds.MAX_VERIFY_PAGES) {
                throw malformed("more than permitted");
            }
            arrivals.add(new Page(received.entries()));
        } else if (message instanceof VerifyMessage.VerifyEnd && !endArrived) {
            endArrived = true;
            arrivals.add(new End());
        } else if (message instanceof VerifyMessage.SpaceReport space && spaces != null) {
            spaces.accept(space);
        } else if (message instanceof SessionMessage.Warning warning) {
            warnings.accept(warning.message());
        } else {
            throw SessionHandler.unexpected(session, message);
        }
    }

    private TransferException malformed(String what) {
        return Cause.MALFORMED.failure(session.peer() + " sent " + what);
    }

    @Override
    public boolean isDone() {
        return closed;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        if (!endArrived && !closed) {
            throw SessionHandler.lost(session, cause, " closed the connection");
        }
    }

    @Override
    public @Nullable CheckedEntry next() throws InterruptedException {
        while (!page.hasNext()) {
            if (ended) {
                return null;
            }
            if (pageOpen) {
                pageOpen = false;
                session.send(new VerifyMessage.VerifyMore(1));
            }
            sendNames();
            take(arrivals.take());
        }
        CheckedEntry next = page.next();
        check(next);
        count(next);
        return next;
    }

    private void take(Arrival arrival) {
        if (arrival instanceof Broken broken) {
            throw broken.why;
        } else if (arrival instanceof Page received) {
            page = received.entries.iterator();
            pageOpen = true;
        } else {
            if (!unanswered.isEmpty()) {
                throw malformed("too few entries");
            }
            ended = true;
            totals.listingEnded();
        }
    }

    private void sendNames() {
        if (names == null || namesEnded) {
            return;
        }
        while (unanswered.size() < NAMES_AHEAD && names.hasNext()) {
            List<VerifyName> next = new ArrayList<>();
            int bytes = 0;
            while (names.hasNext() && next.size() < Bounds.MAX_PAGE_ENTRIES && bytes < MAX_PAGE_BYTES) {
                VerifyName name = names.next();
                next.add(name);
                bytes += NAME_OVERHEAD_BYTES + name.path().lengthBytes();
            }
            unanswered.addAll(next);
            session.send(new VerifyMessage.VerifyNames(next));
        }
        if (!names.hasNext()) {
            namesEnded = true;
            session.send(new VerifyMessage.VerifyEnd());
        }
    }

    /** A comparison relies on this; what could be read of an entry does not matter. */
    private void check(CheckedEntry checked) {
        FileEntry entry = checked.entry();
        boolean hashed = entry != null && entry.kind() == FileEntry.Kind.FILE && checked.failure() == null;
        if (checked.digest().length != (hashed ? hash.lengthBytes() : 0)) {
            throw malformed("a digest of the wrong length");
        }
        if (names != null) {
            VerifyName asked = unanswered.poll();
            if (asked == null || !asked.path().equals(checked.path())) {
                throw malformed("an entry that was not requested");
            }
        } else if (entry != null) {
            if (spaces == null && TreeOrder.compare(last, checked.path()) > 0) {
                throw malformed("entries out of order");
            }
            last = checked.path();
        } else if (checked.failure() == null) {
            throw malformed("an empty entry");
        }
    }

    private void count(CheckedEntry checked) {
        FileEntry entry = checked.entry();
        if (entry != null && entry.kind() == FileEntry.Kind.FILE) {
            long sizeBytes = hash == DigestKind.NONE ? 0 : entry.sizeBytes();
            totals.found(sizeBytes);
            totals.hashed(sizeBytes);
            totals.fileDone();
        }
    }

    @Override
    public boolean isReady() {
        return page.hasNext() || !arrivals.isEmpty();
    }

    @Override
    public void close() {
        closed = true;
        session.end(null);
        session.execute(() -> {});
        HashThreads.joinAll(List.of(thread), GOODBYE_NANOS);
    }
}
