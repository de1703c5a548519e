package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.Ledger.Outcome;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Transfers as a server serves them: each session plays the role that its client does not. */
public final class TransferService implements Service {
    private static final long GOODBYE_MS = 10_000;
    private static final String NO_OWNERS =
            "this key is not for owners, setuid and setgid: what arrives belongs to the server's user";

    private final ExportedRoots roots;
    private final boolean clearLanesAllowed;
    private final TransferLimits limits;
    private final SpreadWatch.Maker spread;

    public TransferService(
            ExportedRoots roots, boolean clearLanesAllowed, TransferLimits limits, SpreadWatch.Maker spread) {
        this.roots = roots;
        this.limits = limits;
        this.spread = spread;
        this.clearLanesAllowed = clearLanesAllowed;
    }

    @Override
    public boolean accepts(ControlMessage open) {
        return open instanceof OpenTransfer;
    }

    @Override
    public String describe(ControlMessage open) {
        OpenTransfer request = (OpenTransfer) open;
        if (request.direction() == Direction.PUSH) {
            return "push to " + request.target().display();
        }
        List<RawPath> sources = request.selection().sources();
        return "pull from " + (sources.isEmpty() ? "nowhere" : sources.get(0).display());
    }

    @Override
    public Grant grant(ControlMessage open) {
        OpenTransfer request = (OpenTransfer) open;
        if (request.clearLanes() && !clearLanesAllowed) {
            throw new TransferException(
                    FailureKind.REFUSED,
                    "the server does not allow clear lanes (--clear-lanes allow on its side does)");
        }
        return new Grant(request.lanes(), request.clearLanes(), request.timeoutMs());
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        OpenTransfer request = (OpenTransfer) open;
        TransferFigures figures = new TransferFigures();
        Ledger ledger = new Ledger(figures, TransferObserver.NONE);
        boolean push = request.direction() == Direction.PUSH;
        TransferException failure;
        Outcome outcome = Outcome.NONE;
        try {
            LaneWatch watch = new LaneWatch(session, figures, request.timeoutMs());
            outcome = push
                    ? receive(session, request, ledger, figures, watch)
                    : send(session, request, ledger, figures, watch);
            failure = ledger.verdict();
        } catch (RuntimeException e) {
            failure = TransferException.of(e);
            session.end(failure);
        }
        Counter moved = push ? Counter.RECEIVED_BYTES : Counter.SENT_BYTES;
        return ledger.summary(failure, session, moved, session.lanes(), outcome, session.elapsedNanos());
    }

    private Outcome receive(
            Session session, OpenTransfer request, Ledger ledger, TransferFigures figures, LaneWatch watch)
            throws InterruptedException {
        boolean keepsNoOwners = request.rules().preserves(Preserve.OWNER) && !session.mayGiveOwners();
        OpenTransfer allowed = keepsNoOwners ? withoutOwners(request) : request;
        try (Targets targets = ReceiverTargets.exported(rootsFor(session), allowed)) {
            Receiver receiver = new Receiver(
                    session,
                    targets,
                    ledger,
                    figures,
                    request.digest(),
                    request.rules().durability(),
                    request.dryRun(),
                    watch,
                    LimitGate.ofServer(limits),
                    spread.make(false),
                    request.timeoutMs());
            Runnable begin = keepsNoOwners ? () -> session.send(new SessionMessage.Warning(NO_OWNERS)) : () -> {};
            run(session, receiver, begin, receiver::close);
            return Outcome.of(receiver);
        }
    }

    private Outcome send(Session session, OpenTransfer request, Ledger ledger, TransferFigures figures, LaneWatch watch)
            throws InterruptedException {
        SenderSources.Problems problems = new SenderSources.Problems();
        try (Sources sources = sources(
                rootsFor(session),
                request.selection(),
                request.rules().preserve(),
                request.sizeBytes(),
                request.durationNanos(),
                problems)) {
            Sender sender = new Sender(
                    session,
                    sources,
                    ledger,
                    figures,
                    new RateLimit(request.rateBitsPerSecond(), session.clock()),
                    request.digest(),
                    request.chunkBytes(),
                    request.dryRun(),
                    watch,
                    LimitGate.ofServer(limits),
                    spread.make(true),
                    request.timeoutMs());
            problems.tell(sender);
            run(session, sender, sender::begin, sender::close);
            return Outcome.of(sender);
        }
    }

    private static OpenTransfer withoutOwners(OpenTransfer request) {
        return request.withRules(request.rules().without(Preserve.OWNER));
    }

    /** What the client's key leaves of the exported directories. */
    private ExportedRoots rootsFor(Session session) {
        return roots.within(session.mayWrite(), session.confinedTo());
    }

    /** What a client may have of the exported directories; it names them as seen from outside. */
    static Sources sources(
            ExportedRoots roots,
            SourceSelection selection,
            Set<Preserve> preserve,
            long sizeBytes,
            long durationNanos,
            SenderSources.Problems problems) {
        if (selection.sources().isEmpty()) {
            throw new TransferException(FailureKind.USAGE, "no source is named");
        }
        if (SenderSources.isZeros(selection)) {
            return SenderSources.zeros(sizeBytes, durationNanos);
        }
        ExportedRoots.Place first = roots.find(selection.sources().get(0));
        List<RawPath> within = new ArrayList<>();
        for (RawPath source : selection.sources()) {
            ExportedRoots.Place place = roots.find(source);
            if (!place.isInSameRootAs(first)) {
                throw new TransferException(FailureKind.USAGE, "the sources are in different roots of the server");
            }
            within.add(place.path());
        }
        return SenderSources.sources(
                first.openRoot(),
                new SourceSelection(within, selection.names(), selection.rules()),
                preserve,
                -1,
                -1,
                problems);
    }

    private interface Closer {
        void close(@Nullable TransferException cause);
    }

    private static void run(Session session, SessionHandler handler, Runnable begin, Closer closer)
            throws InterruptedException {
        TransferException failure = null;
        try {
            session.attach(handler);
            session.announce();
            begin.run();
            session.run();
            // The client closes first: a lane that ended before would look like a lost one to it.
            session.awaitClose(GOODBYE_MS);
        } catch (RuntimeException e) {
            failure = TransferException.of(e);
            session.end(failure);
            throw failure;
        } finally {
            closer.close(failure);
        }
    }
}
