package io.fdt.core.nettest.service;

import io.fdt.core.FailureKind;
import io.fdt.core.Resources;
import io.fdt.core.RunningThread;
import io.fdt.core.TransferException;
import io.fdt.core.control.Client;
import io.fdt.core.control.ClientLanes;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.control.Session;
import io.fdt.core.host.CpuUse;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.ClientSuite;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A network test at the client, on its own thread, {@code fdt-session}; never throws. */
public final class ClientNettest extends RunningThread<NettestOutcome> implements NettestJob {
    private final Client client;
    private final LaneTransports transports;
    private final NettestObserver observer;
    private final String software;
    private final Path root;
    private final StartGate gate;

    // For the session's thread.
    private NettestPlan plan;
    private ClientSuite suite;
    private @Nullable HostFacts here;
    private String description = "";
    private @Nullable Session session;
    private @Nullable ClientSide side;
    private @Nullable ClientLanes lanes;

    /** Starts at once, with {@code proc} and {@code sys} below this root. The resources are closed with the test. */
    public ClientNettest(
            NettestPlan plan,
            Client client,
            LaneTransports transports,
            NettestObserver observer,
            String software,
            Path root,
            Resources resources) {
        this(plan, Suites.ofClient(plan), StartGate.ofOne(), client, transports, observer, software, root, resources);
    }

    /**
     * One of several tests that begin together, with a part of a suite; the plan determines the transport of its lanes.
     */
    ClientNettest(
            NettestPlan plan,
            ClientSuite suite,
            StartGate gate,
            Client client,
            LaneTransports transports,
            NettestObserver observer,
            String software,
            Path root,
            Resources resources) {
        super("fdt-session", resources);
        this.plan = plan;
        this.suite = suite;
        this.gate = gate;
        this.client = client;
        this.transports = transports;
        this.observer = observer;
        this.software = software;
        this.root = root;
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        throwIfInterrupted();
        InetSocketAddress server =
                Client.resolved(plan.path().host(), plan.path().port());
        OpenNettest request = plan.request();
        Session open = client.open(server, localAddress(), request, plan.path().timeoutMs());
        requireGranted(open, request, plan.needed());
        observer.onActivity(open.activity());
        LaneTransports.LaneRoute way = way(open, server);
        here = Hosts.facts(root, open.peer(), software);
        ClientSide own = new ClientSide(open, suite, new CpuUse(root), request, gate, observer, () -> onBegin(open));
        TransferException failure = null;
        try (ClientLanes opening = new ClientLanes(
                open,
                own,
                way.transport(),
                way.server(),
                plan.path().localAddresses(),
                plan.path().timeoutMs())) {
            open.attach(own);
            session = open;
            side = own;
            stoppedBy(reason -> open.execute(() -> own.leave(reason)));
            throwIfInterrupted();
            lanes = opening;
            opening.want(Integer.MAX_VALUE);
            open.run();
            throwIfInterrupted();
            own.requireWhole();
        } catch (InterruptedException e) {
            failure = FailureKind.INTERRUPTED.failure("interrupted", e);
            throw e;
        } catch (RuntimeException e) {
            failure = TransferException.of(e);
            throw failure;
        } finally {
            if (failure != null) {
                open.end(failure);
            }
            own.close(failure);
            open.end(null);
        }
    }

    /** Determines the transport of the lanes, which the plan and its results include from now on. */
    private LaneTransports.LaneRoute way(Session open, InetSocketAddress server) {
        try {
            LaneTransports.LaneRoute way =
                    transports.choose(open, server, localAddress(), plan.path().timeoutMs(), observer::onWarning);
            if (way.carrier() != plan.path().carrier()) {
                plan = plan.over(way.carrier());
                suite = Suites.ofClient(plan);
            }
            return way;
        } catch (TransferException none) {
            open.end(none);
            throw none;
        }
    }

    private static void requireGranted(Session open, OpenNettest request, long needed) {
        try {
            if (!open.peerCan(needed)) {
                throw FailureKind.VERSION.failure(
                        open.peer() + " runs an fdt without tests over queue pairs; upgrade it there");
            }
            Side.requireLanes(open.lanes(), request);
            if (open.clearLanes() && !request.clear()) {
                throw FailureKind.REFUSED.failure(open.peer() + " requires lanes without TLS, which was not requested");
            }
        } catch (TransferException refusal) {
            open.end(refusal);
            throw refusal;
        }
    }

    private void onBegin(Session open) {
        String opened = lanes == null ? null : lanes.description();
        description = opened == null ? transports.name() : opened;
        observer.onStart(open.name(), plan, description, open.peer());
    }

    private @Nullable InetSocketAddress localAddress() {
        return ClientLanes.localAddress(plan.path().localAddresses(), 0);
    }

    /** Of several failures, that a server could not be reached is more important than that the others were ended. */
    @Override
    protected TransferException told(TransferException why, TransferException happened) {
        return happened;
    }

    @Override
    protected NettestOutcome sumUp(@Nullable TransferException failure) {
        ClientSide own = side;
        Session open = session;
        HostFacts local = here;
        HostFacts remote = own == null ? null : own.server();
        NettestResult result = null;
        if (own != null && own.isBegun() && local != null && remote != null) {
            SideState last = own.last();
            SideState now = last == null ? own.state() : last;
            SideState there = own.remote();
            Circumstances circumstances = new Circumstances(
                    description,
                    local,
                    remote,
                    now.elapsedNanos() / 1e9,
                    last != null && own.peersLast() != null,
                    now.cpuNanos() / 1e9,
                    there == null ? Double.NaN : there.cpuNanos() / 1e9,
                    LaneMode.of(now),
                    LaneMode.of(there));
            result = suite.result(circumstances, now, there);
        }
        return new NettestOutcome(
                failure == null ? null : failure.kind(),
                failure == null ? null : failure.getMessage(),
                result,
                elapsedNanos(),
                open == null ? "" : open.name());
    }
}
