package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.host.CpuUse;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.NettestMessage.HostFacts;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's side: keeps the time and tells of every second. The session's thread. */
final class ClientSide extends Side {
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long what is under way may still take to arrive, when the user does not want to wait. */
    private static final long LEAVING_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private final ClientSuite suite;
    private final long durationNanos;
    private final StartGate gate;
    private final Watcher watcher;
    private @Nullable HostFacts server;
    private @Nullable SideState lastSample;
    private @Nullable SideState warm;
    private @Nullable TransferException leaving;
    private long leavingNanos;
    private long sampledNanos;

    /** Who watches the test. */
    interface Watcher {
        /** It begins. */
        void onBegin(HostFacts server);

        /**
         * A second has passed.
         *
         * @param remote what the server said last; null when it has not yet
         */
        void onSecond(SideState local, @Nullable SideState remote);

        void onWarning(String text);
    }

    ClientSide(Session session, ClientSuite suite, CpuUse cpu, OpenNettest request, StartGate gate, Watcher watcher) {
        super(session, suite, cpu, request, true);
        this.suite = suite;
        this.durationNanos = TimeUnit.MILLISECONDS.toNanos(request.durationMs());
        this.gate = gate;
        this.watcher = watcher;
    }

    /** The user wants to leave, for this reason, with what has been measured so far. */
    void leave(TransferException why) {
        leaving = why;
        leavingNanos = session().clock().nanoTime();
        if (!isBegun()) {
            throw why;
        }
        stopBoth();
    }

    /** What the server said last, at the end or before; null when it has not said anything. */
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
            gate.arrive(() -> session().execute(() -> start(ready.host())));
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

    private void start(HostFacts facts) {
        session().send(new NettestMessage.NettestStart());
        begin();
        watcher.onBegin(facts);
    }

    @Override
    void onWarning(String text) {
        watcher.onWarning(text);
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
            watcher.onSecond(state(), lastSample);
        }
    }

    private void stopBoth() {
        if (!isStopped()) {
            stop();
            session().send(new NettestMessage.NettestStop());
        }
    }

    /** A test whose lanes ended before its time, or before all was measured, did not measure what was asked for. */
    void requireWhole() {
        if (!isStopped() && !suite.isComplete()) {
            throw new TransferException(
                    FailureKind.CONNECTION_LOST, session().peer() + " ended the lanes before the test was over");
        }
    }
}
