package io.fdt.core.nettest.service;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.host.CpuUse;
import io.fdt.core.nettest.ClientSuite;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's side: controls the time and reports every second. For the session's thread. */
final class ClientSide extends Side {
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long data in flight may still take to arrive if the user does not want to wait. */
    private static final long LEAVING_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private final ClientSuite suite;
    private final long durationNanos;
    private final StartGate gate;
    private final NettestObserver observer;
    private final Runnable onBegin;
    private @Nullable HostFacts server;
    private @Nullable SideState lastSample;
    private @Nullable SideState warm;
    private @Nullable TransferException leaving;
    private long leavingNanos;
    private long sampledNanos;

    /** @param onBegin called when all lanes are open and the test begins */
    ClientSide(
            Session session,
            ClientSuite suite,
            CpuUse cpu,
            OpenNettest request,
            StartGate gate,
            NettestObserver observer,
            Runnable onBegin) {
        super(session, suite, cpu, request, true);
        this.suite = suite;
        this.durationNanos = TimeUnit.MILLISECONDS.toNanos(request.durationMs());
        this.gate = gate;
        this.observer = observer;
        this.onBegin = onBegin;
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

    /** The last figures of the server, at the end or before; null if there are none. */
    @Nullable SideState remote() {
        SideState end = peersLast();
        return end != null ? end : lastSample;
    }

    @Nullable HostFacts server() {
        return server;
    }

    @Override
    boolean onPart(NettestMessage message) {
        if (message instanceof NettestMessage.NettestReady ready && server == null) {
            server = ready.host();
            gate.arrive(() -> session().execute(this::start));
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
        onBegin.run();
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
            throw FailureKind.CONNECTION_LOST.failure(session().peer() + " ended the lanes before the test was over");
        }
    }
}
