package io.fdt.core.nettest.service;

import io.fdt.core.control.Session;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The client's side: controls the time and reports every second. For the session's thread. */
final class ClientSide extends Side {
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long data in flight may still take to arrive if the user does not want to wait. */
    private static final long LEAVING_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private final NettestPlan plan;
    private final SuiteClient suite;
    private final long durationNanos;
    private final Consumer<Runnable> gate;
    private final NettestObserver observer;
    private final Supplier<String> transport;
    private String description = "";
    private @Nullable HostFacts server;
    private @Nullable SideState lastSample;
    private @Nullable SideState warm;
    private @Nullable TransferException leaving;
    private long leavingNanos;
    private long sampledNanos;

    /** @param transport the transport of the lanes, for display, when all of them are open */
    ClientSide(
            Session session,
            NettestPlan plan,
            SuiteClient suite,
            Path root,
            Consumer<Runnable> gate,
            NettestObserver observer,
            Supplier<String> transport) {
        super(session, suite, plan, Direction.OUT, root, bytes -> {});
        this.plan = plan;
        this.suite = suite;
        this.durationNanos = TimeUnit.MILLISECONDS.toNanos(plan.suite().limitMs(plan));
        this.gate = gate;
        this.observer = observer;
        this.transport = transport;
    }

    /** The user wants to end the test, for this reason, with what was measured so far. */
    void leave(TransferException why) {
        leaving = why;
        leavingNanos = session().clock().nanoTime();
        if (!isBegun()) {
            throw why;
        }
        stopBoth();
    }

    /** The measurements, at the end or when the test was ended early; null if it has not begun. */
    @Nullable NettestResult result() {
        HostFacts there = server;
        if (!isBegun() || there == null) {
            return null;
        }
        SideState end = last();
        SideState peersEnd = peersLast();
        SideState own = end == null ? state() : end;
        SideState peers = peersEnd == null ? lastSample : peersEnd;
        Circumstances circumstances = new Circumstances(
                description,
                own.elapsedNanos() / 1e9,
                end != null && peersEnd != null,
                new Circumstances.Side(host(), own.cpuNanos() / 1e9, LaneMode.of(own)),
                new Circumstances.Side(there, peers == null ? Double.NaN : peers.cpuNanos() / 1e9, LaneMode.of(peers)));
        return suite.result(circumstances, own, peers);
    }

    @Override
    boolean takesPart(Class<? extends ControlMessage> type) {
        return type == NettestMessage.NettestReady.class
                || type == NettestMessage.NettestMarked.class
                || type == NettestMessage.NettestSample.class;
    }

    @Override
    boolean onPart(NettestMessage message) {
        if (message instanceof NettestMessage.NettestReady ready && server == null) {
            server = ready.host();
            gate.accept(() -> session().execute(this::start));
            return true;
        }
        SideState own = warm;
        if (message instanceof NettestMessage.NettestMarked marked && own != null) {
            suite.onWarm(own, marked.state());
            return true;
        }
        if (message instanceof NettestMessage.NettestSample sample) {
            lastSample = sample.state();
            return true;
        }
        return false;
    }

    private void start() {
        session().send(new NettestMessage.NettestStart());
        begin();
        description = transport.get();
        observer.onStart(session().name(), plan, description, session().peer());
    }

    @Override
    void onWarning(String text) {
        observer.onWarning(text);
    }

    @Override
    void onMeasuringTick() {
        TransferException why = leaving;
        if (why != null && session().clock().nanoTime() - leavingNanos > LEAVING_NANOS) {
            throw why;
        }
        long elapsed = elapsedNanos();
        if (warm == null && suite.warmUpNanos() > 0 && elapsed >= suite.warmUpNanos() && !isStopped()) {
            warm = state();
            session().send(new NettestMessage.NettestMark());
        }
        if (durationNanos > 0 && elapsed >= durationNanos) {
            stopBoth();
        }
        if (elapsed - sampledNanos >= SAMPLE_NANOS && !isStopped()) {
            sampledNanos = elapsed;
            observer.onInterval(suite.onSecond(state(), lastSample));
        }
    }

    private void stopBoth() {
        if (!isStopped()) {
            stop();
            session().send(new NettestMessage.NettestStop());
        }
    }

    /** A test whose lanes ended early, or before everything was measured, did not measure what was requested. */
    void requireWhole() {
        if (!isStopped() && !suite.isComplete()) {
            throw Cause.CONNECTION_LOST.failure(session().peer() + " ended the lanes before the test was over");
        }
    }
}
