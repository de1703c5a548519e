package io.fdt.core.nettest.service;

import io.fdt.core.control.Session;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NettestMessage;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * The server's side: follows the client, reports its progress, and does not wait for ever. For the session's thread.
 */
final class ServerSide extends Side {
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long mostNanos;
    private long sampledNanos;

    ServerSide(Session session, SuiteSide suite, NettestPlan plan, Path root, IntConsumer pace) {
        super(session, suite, plan, Direction.IN, root, pace);
        long limitMs = plan.suite().limitMs(plan);
        this.mostNanos = limitMs == 0
                ? Long.MAX_VALUE
                : TimeUnit.MILLISECONDS.toNanos(limitMs + plan.path().timeoutMs());
    }

    @Override
    void onAllJoined() {
        session().send(new NettestMessage.NettestReady(host()));
    }

    @Override
    boolean takesPart(Class<? extends ControlMessage> type) {
        return type == NettestMessage.NettestStart.class
                || type == NettestMessage.NettestMark.class
                || type == NettestMessage.NettestStop.class;
    }

    @Override
    boolean onPart(NettestMessage message) {
        if (message instanceof NettestMessage.NettestStart) {
            begin();
            return true;
        }
        if (message instanceof NettestMessage.NettestMark && isBegun()) {
            session().send(new NettestMessage.NettestMarked(state()));
            return true;
        }
        if (message instanceof NettestMessage.NettestStop) {
            stop();
            return true;
        }
        return false;
    }

    @Override
    void onMeasuringTick() {
        long elapsed = elapsedNanos();
        if (!isStopped() && elapsed > mostNanos) {
            throw Cause.CONNECTION_LOST.failure(session().peer() + " did not end its test in time");
        }
        if (elapsed - sampledNanos >= SAMPLE_NANOS) {
            sampledNanos = elapsed;
            session().report(new NettestMessage.NettestSample(state()));
        }
    }
}
