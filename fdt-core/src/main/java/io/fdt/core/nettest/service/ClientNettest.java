package io.fdt.core.nettest.service;

import io.fdt.core.control.Client;
import io.fdt.core.control.ClientLanes;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.control.Session;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.run.RunningThread;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A network test at the client, on its own thread, {@code fdt-session}; never throws. */
public final class ClientNettest extends RunningThread<NettestOutcome> implements NettestJob {
    private final Function<NettestPlan, SuiteClient> suites;
    private final Consumer<Runnable> gate;
    private final Consumer<NettestOutcome> onEnd;
    private final ServerConnection server;
    private final NettestObserver observer;
    private final Path root;

    // For the session's thread.
    private NettestPlan plan;
    private @Nullable Session session;
    private @Nullable ClientSide side;
    private @Nullable ClientLanes lanes;

    /** Starts at once, with {@code proc} and {@code sys} below this root. The connection is closed with the test. */
    public ClientNettest(NettestPlan plan, ServerConnection server, NettestObserver observer, Path root) {
        this(plan, own -> own.suite().client(own), Runnable::run, end -> {}, server, observer, root);
    }

    /**
     * One of several tests that begin together.
     *
     * @param suites creates the suite when the transport of the lanes is known, which the plan then contains
     * @param gate receives the action that begins the test, when that is ready, and runs it
     * @param onEnd receives the result, on the test's thread
     */
    ClientNettest(
            NettestPlan plan,
            Function<NettestPlan, SuiteClient> suites,
            Consumer<Runnable> gate,
            Consumer<NettestOutcome> onEnd,
            ServerConnection server,
            NettestObserver observer,
            Path root) {
        super("fdt-session", server);
        this.plan = plan;
        this.suites = suites;
        this.gate = gate;
        this.onEnd = onEnd;
        this.server = server;
        this.observer = observer;
        this.root = root;
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        throwIfInterrupted();
        InetSocketAddress address =
                Client.resolved(plan.path().host(), plan.path().port());
        Session open = server.client()
                .open(address, localAddress(), plan.request(), plan.path().timeoutMs());
        ClientSide own = null;
        TransferException failure = null;
        try {
            requireGranted(open);
            observer.onActivity(open.activity());
            LaneTransports.LaneRoute way = server.transports()
                    .choose(open, address, localAddress(), plan.path().timeoutMs(), observer::onWarning);
            plan = plan.over(way.carrier());
            own = new ClientSide(open, plan, suites.apply(plan), root, gate, observer, this::description);
            run(open, own, way);
        } catch (InterruptedException | RuntimeException e) {
            failure = TransferException.of(e);
            throw e;
        } finally {
            if (failure != null) {
                open.end(failure);
            }
            if (own != null) {
                own.close(failure);
            }
            open.end(null);
        }
    }

    private void run(Session open, ClientSide own, LaneTransports.LaneRoute way) throws InterruptedException {
        try (ClientLanes opening = new ClientLanes(
                open,
                own,
                way.transport(),
                way.server(),
                plan.path().localAddresses(),
                plan.path().timeoutMs(),
                null)) {
            open.attach(own);
            session = open;
            side = own;
            stoppedBy(reason -> open.execute(() -> own.leave(reason)));
            throwIfInterrupted();
            lanes = opening;
            opening.request(Integer.MAX_VALUE);
            open.run();
            throwIfInterrupted();
            own.requireWhole();
        }
    }

    private void requireGranted(Session open) {
        Side.requireLanes(open.lanes(), plan);
        if (open.clearLanes() && !plan.path().clear()) {
            throw Cause.REFUSED.failure(open.peer() + " requires lanes without TLS, which was not requested");
        }
    }

    /** The transport of the lanes, for display. */
    private String description() {
        String opened = lanes == null ? null : lanes.description();
        return opened == null ? server.transports().name() : opened;
    }

    private @Nullable InetSocketAddress localAddress() {
        return ClientLanes.localAddress(plan.path().localAddresses(), 0);
    }

    /** Of several failures, that a server could not be reached is more important than that the others were ended. */
    @Override
    protected TransferException failureOf(TransferException why, TransferException happened) {
        return happened;
    }

    @Override
    protected NettestOutcome sumUp(@Nullable TransferException failure) {
        NettestOutcome outcome = new NettestOutcome(
                failure == null ? null : failure.failure(),
                side == null ? null : side.result(),
                elapsedNanos(),
                session == null ? "" : session.name());
        onEnd.accept(outcome);
        return outcome;
    }
}
