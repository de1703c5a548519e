package io.fdt.core.transfer.service;

import io.fdt.core.basic.Right;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.transfer.CopySide;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.Ledger.CopyOutcome;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.ServerRates;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.receiving.Receiver;
import io.fdt.core.transfer.receiving.TargetClaims;
import io.fdt.core.transfer.receiving.Targets;
import io.fdt.core.transfer.sending.Sender;
import io.fdt.core.transfer.sending.SenderSources;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.SpreadWatch.Role;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Transfers at a server: each session takes the role that its client does not have.
 *
 * @param limits of one transfer
 * @param rates of all of them
 * @param claims of all of them
 */
public record TransferService(
        ExportedRoots roots,
        boolean clearLanesAllowed,
        TransferLimits limits,
        Function<Role, SpreadWatch> spread,
        ServerRates rates,
        ServerObserver observer,
        TargetClaims claims)
        implements Service {
    private static final String NO_DEFAULT_ACLS =
            "this key does not permit default ACLs, which need owners; directories keep those that they have";
    private static final String NO_OWNERS =
            "this key does not permit owners, setuid and setgid; files belong to the server's user";

    @Override
    public String describe(ControlMessage open) {
        TransferPlan request = ((OpenTransfer) open).request();
        if (request.direction() == Direction.PUSH) {
            return "push to " + request.target().display();
        }
        List<RawPath> sources = request.sources();
        return "pull from " + (sources.isEmpty() ? "nowhere" : sources.get(0).display());
    }

    @Override
    public SessionActivity.Kind kind(ControlMessage open) {
        boolean push = ((OpenTransfer) open).request().direction() == Direction.PUSH;
        return new SessionActivity.Kind(
                SessionActivity.Service.COPY, push ? SessionActivity.Direction.IN : SessionActivity.Direction.OUT);
    }

    @Override
    public @Nullable String trace(ControlMessage open) {
        return ((OpenTransfer) open).request().find(CopyValue.TRACE);
    }

    @Override
    public Grant grant(ControlMessage open) {
        TransferPlan request = ((OpenTransfer) open).request();
        if (request.get(CopyValue.CLEAR_LANES) && !clearLanesAllowed) {
            throw Cause.REFUSED
                    .advise("its operator can permit them with --clear-lanes allow")
                    .failure("the server does not allow clear lanes");
        }
        return new Grant(
                request.get(CopyValue.LANES).start(),
                request.get(CopyValue.LANES).max(),
                request.get(CopyValue.CLEAR_LANES),
                request.get(CopyValue.TIMEOUT_MS),
                request.get(CopyValue.DIGEST) == DigestKind.NONE ? Checksums.NONE : observer.checksums());
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        TransferPlan request = ((OpenTransfer) open).request().summing(session.checksums());
        Ledger ledger = new Ledger(new TransferFigures(), session.budget());
        boolean push = request.direction() == Direction.PUSH;
        ServedFiles served = new ServedFiles(session, push, request.hash(), observer);
        if (observer.watchesFiles() && !request.dryRun()) {
            ledger.writeTo(served);
        }
        TransferException failure;
        CopyOutcome outcome = CopyOutcome.NONE;
        try {
            requireRights(session, request);
            SessionParts parts = SessionParts.of(
                    session,
                    request,
                    ledger,
                    LimitGate.ofServer(limits.atMost(session.keyBytes())),
                    rates.of(session),
                    spread.apply(push ? Role.RECEIVER : Role.SENDER));
            outcome = push ? receive(parts, served) : send(parts, served);
            failure = ledger.verdict();
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            session.end(failure);
        }
        int lanes = Math.max(
                request.get(CopyValue.LANES).atMost(session.lanes()).first(),
                session.counters().lanes());
        Counter moved = push ? Counter.RECEIVED_BYTES : Counter.SENT_BYTES;
        return ledger.summary(failure, session, moved, lanes, outcome, session.elapsedNanos());
    }

    /** Zeros are nobody's content, and what needs writing is checked where it is opened. */
    private static void requireRights(Session session, TransferPlan request) {
        if (request.direction() == Direction.PULL && !SenderSources.isZeros(request)) {
            session.require(Right.READ);
        }
        if (request.direction() == Direction.PUSH && request.has(CopyValue.MIRROR)) {
            session.require(Right.DELETE);
        }
    }

    private CopyOutcome receive(SessionParts parts, ServedFiles served) throws InterruptedException {
        Session session = parts.session();
        TransferPlan request = parts.request();
        boolean keepsNoOwners = request.preserves(Preserve.OWNER) && !session.mayGiveOwners();
        TransferPlan allowed = keepsNoOwners ? request.without(Preserve.OWNER) : request;
        boolean keepsNoDefaultAcls = request.preserves(Preserve.ACLS) && !session.mayGiveOwners();
        ExportedRoots writable = rootsFor(session, request).limited(!keepsNoDefaultAcls, !session.permits(Right.WRITE));
        try (TargetClaims.Claim claim = claims.begin(session);
                Targets targets = Targets.exported(writable, allowed, claim)) {
            if (!request.target().equals(TransferPlan.DEV_NULL)) {
                served.locate(writable.find(request.target()), targets::pathBelowRoot);
            }
            Runnable begin = () -> {
                if (keepsNoOwners) {
                    session.send(new SessionMessage.Warning(NO_OWNERS));
                }
                if (keepsNoDefaultAcls) {
                    session.send(new SessionMessage.Warning(NO_DEFAULT_ACLS));
                }
            };
            return run(session, new Receiver(parts, targets), begin);
        }
    }

    private CopyOutcome send(SessionParts parts, ServedFiles served) throws InterruptedException {
        SenderSources.Problems problems = new SenderSources.Problems();
        TransferPlan request = parts.request();
        ExportedRoots readable = rootsFor(parts.session(), request);
        try (Sources sources = sources(readable, request, problems)) {
            if (!SenderSources.isZeros(request)) {
                served.locate(readable.find(request.sources().get(0)), sources::pathBelowRoot);
            }
            Sender sender = new Sender(parts, sources);
            problems.reportTo(sender);
            return run(parts.session(), sender, sender::begin);
        }
    }

    /** The part of the exported directories where the client may do this. */
    private ExportedRoots rootsFor(Session session, TransferPlan request) {
        return roots.within(session.reach(request.rights())).chargedTo(session.budget());
    }

    /** The sources that a client may read in the exported directories, named as seen from outside. */
    static Sources sources(ExportedRoots roots, TransferPlan request, SenderSources.Problems problems) {
        if (request.sources().isEmpty()) {
            throw Cause.USAGE.failure("there is no source");
        }
        if (SenderSources.isZeros(request)) {
            return SenderSources.zeros(request);
        }
        ExportedRoots.ExportedPath first = roots.find(request.sources().get(0));
        List<RawPath> within = new ArrayList<>();
        for (RawPath source : request.sources()) {
            ExportedRoots.ExportedPath place = roots.find(source);
            if (!place.isInSameRootAs(first)) {
                throw Cause.USAGE.failure("the sources are in different roots of the server");
            }
            if (place.path().isEmpty() && !source.isEmpty() && !request.has(CopyValue.NAMES)) {
                // Its entries would not be below the name that the client knows.
                throw Cause.USAGE
                        .at(source.display())
                        .failure("is an exported root; write " + source.display() + "/ to copy its contents");
            }
            within.add(place.path());
        }
        return SenderSources.sources(first.openRoot(), request.with(CopyValue.SOURCES, within), problems);
    }

    private static CopyOutcome run(Session session, CopySide side, Runnable begin) throws InterruptedException {
        TransferException failure = null;
        try {
            session.serve(side, begin);
            return CopyOutcome.of(side);
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            if (!side.isStoppedByPeer()) {
                session.end(failure);
            }
            throw failure;
        } finally {
            // Tells a sender that has stopped what is kept.
            side.close(failure);
        }
    }
}
