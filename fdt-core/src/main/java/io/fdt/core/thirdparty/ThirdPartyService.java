package io.fdt.core.thirdparty;

import io.fdt.core.basic.Right;
import io.fdt.core.budget.Resource;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Printable;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.OutboundRules;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.ThirdPartyMessage.OpenThirdParty;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Pushes files of this server to another server, for a client that may read them: only within the networks that the
 * operator specified, to exactly the address that was checked, and only while the session lasts, which a detached copy
 * keeps after its client has left. The client receives the same message for every reason why a server could not be
 * reached.
 *
 * @param watcher receives the sessions with other servers
 */
public record ThirdPartyService(
        ExportedRoots roots,
        OutboundRules networks,
        boolean clearLanesAllowed,
        Pusher pusher,
        Consumer<SessionActivity> watcher,
        DetachedCopies copies)
        implements Service {
    /** Those of a push besides its lanes: its job, its retries, its loop, its timer and one that dials. */
    private static final int PUSH_THREADS = 5;

    /** The characters of names and literal addresses; {@code %} separates a zone. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%-]+");

    /** Starts pushes, like a client. */
    public interface Pusher {
        /**
         * Starts a push, which runs until it has ended or is closed.
         *
         * @param asking the session of the client that requested it
         * @param plan whose host is the permitted address in numeric form
         * @param roots that may be read
         * @param receipt to write; null for none
         */
        TransferJob push(
                Session asking,
                ServerAccess access,
                TransferPlan plan,
                ExportedRoots roots,
                @Nullable KeptReceipt receipt,
                TransferObserver observer);
    }

    @Override
    public String describe(ControlMessage open) {
        OpenThirdParty asked = (OpenThirdParty) open;
        TransferPlan request = asked.request();
        return "push " + source(request) + " to " + asked.target().name() + " "
                + request.target().display() + (isDetached(asked) ? ", detached" : "");
    }

    private static String source(TransferPlan request) {
        List<RawPath> sources = request.sources();
        String more = sources.size() > 1 ? " and " + (sources.size() - 1) + " more" : "";
        return sources.isEmpty()
                ? "nothing"
                : Printable.shortened(sources.get(0).display()) + more;
    }

    private static boolean isDetached(OpenThirdParty asked) {
        return asked.retryMs() != ThirdPartyMessage.ATTACHED;
    }

    @Override
    public SessionActivity.Kind kind(ControlMessage open) {
        return new SessionActivity.Kind(SessionActivity.Service.COPY, SessionActivity.Direction.OUT);
    }

    @Override
    public Grant grant(ControlMessage open) {
        if (networks.isNone()) {
            throw Cause.REFUSED
                    .advise("its operator can permit it with --third-party NETWORK")
                    .failure("the source's server does not copy to other servers");
        }
        OpenThirdParty asked = (OpenThirdParty) open;
        TransferPlan request = asked.request();
        if (request.direction() != Direction.PUSH
                || !HOST.matcher(asked.target().host()).matches()) {
            throw Cause.MALFORMED.failure("the request for a copy to another server is incomplete");
        }
        if (request.get(CopyValue.CLEAR_LANES) && !clearLanesAllowed) {
            throw Cause.REFUSED
                    .advise("its operator can permit them with --clear-lanes allow")
                    .failure("the source's server does not allow clear lanes");
        }
        return new Grant(
                request.get(CopyValue.LANES).start(),
                request.get(CopyValue.LANES).max(),
                false,
                request.get(CopyValue.TIMEOUT_MS),
                Checksums.NONE);
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        OpenThirdParty request = (OpenThirdParty) open;
        DetachedCopy detached = null;
        TransferException failure = null;
        Summary summary = null;
        // A detached copy keeps its own.
        try (KeptReceipt attached = new KeptReceipt(session.budget(), () -> false)) {
            if (isDetached(request)) {
                session.outliveClient();
                detached = copies.add(
                        session.name(),
                        session.keyId(),
                        session.budget(),
                        source(request.request()),
                        request.target().name() + " "
                                + Printable.shortened(request.request().target().display()));
            }
            boolean recorded = request.receipt() != null && !request.request().dryRun();
            KeptReceipt receipt = !recorded ? null : detached == null ? attached : copies.keepReceipt(detached);
            PushReport report = new PushReport(session, watcher, detached, detached == null ? receipt : null);
            session.attach(report);
            session.announce();
            InetSocketAddress target = target(request);
            ThirdPartyMessage.Target other = request.target();
            ServerAccess access = new ServerAccess(
                    Fingerprint.ofBytes(other.fingerprint()), other.keyId(), Secret.ofBytes(other.secret()));
            session.require(Right.READ);
            ExportedRoots readable =
                    roots.within(session.reach(Set.of(Right.READ))).chargedTo(session.budget());
            TransferPlan plan = plan(request, target, session.lanes());
            session.budget().take(Resource.THREADS, PUSH_THREADS);
            Supplier<TransferJob> attempt = () -> pusher.push(session, access, plan, readable, receipt, report);
            try (TransferJob push =
                    request.retryMs() > 0 ? new RetriedPush(attempt, request.retryMs()) : attempt.get()) {
                summary = run(session, report, push);
            } finally {
                report.close();
            }
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            session.end(failure);
        }
        Summary end = summary == null || failure != null
                ? Summary.of(failure, 0, 0, 0, 0, session.elapsedNanos(), session.name())
                : summary.asEndOf(session.name());
        if (detached != null) {
            detached.onEnd(end);
        }
        return end;
    }

    private static Summary run(Session session, PushReport report, TransferJob push) throws InterruptedException {
        report.follow(push);
        Thread waiting = session.budget().start("fdt-push-" + session.name(), () -> awaitEnd(session, report, push));
        try {
            session.runToGoodbye();
        } finally {
            // A waiting copy would not end otherwise.
            report.close();
            waiting.interrupt();
        }
        Summary summary = report.end();
        if (summary == null) {
            throw new IllegalStateException("a report ended before its copy");
        }
        return summary;
    }

    private static void awaitEnd(Session session, PushReport report, TransferJob push) throws InterruptedException {
        try {
            Summary summary = push.await();
            session.execute(() -> report.onEnd(summary));
        } catch (RuntimeException e) {
            session.interrupt(TransferException.of(e));
        }
    }

    /** The first permitted address of the host; it is not looked up again. */
    private InetSocketAddress target(OpenThirdParty asked) {
        try {
            for (InetAddress address : InetAddress.getAllByName(asked.target().host())) {
                if (networks.allow(address)) {
                    return new InetSocketAddress(address, asked.target().port());
                }
            }
        } catch (UnknownHostException e) {
            // What this server's name service knows is not revealed to the client.
        }
        throw Cause.REFUSED
                .advise("its operator can permit it with --third-party NETWORK")
                .failure("the source's server may not copy to " + asked.target().host()
                        + ": its address is unknown, or in none of the networks that its operator permits");
    }

    private static TransferPlan plan(OpenThirdParty asked, InetSocketAddress target, int lanes) {
        TransferLimits limits = new TransferLimits(
                asked.maxEntries(), asked.maxBytes(), TransferLimits.NONE.pathBytes(), TransferLimits.NONE.pathDepth());
        String host = target.getAddress().getHostAddress();
        TransferPlan request = asked.request();
        return request.at(host, target.getPort())
                .with(CopyValue.LANES, request.get(CopyValue.LANES).atMost(lanes))
                .with(CopyValue.CHECKSUMS, asked.receipt())
                .with(CopyValue.LIMITS, limits);
    }
}
