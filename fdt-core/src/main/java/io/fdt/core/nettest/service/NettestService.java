package io.fdt.core.nettest.service;

import io.fdt.core.basic.Right;
import io.fdt.core.budget.Resource;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.IntConsumer;

/** Network tests at a server. */
public record NettestService(
        boolean clearLanesAllowed, Path root, NettestResources resources, Function<Session, IntConsumer> pacing)
        implements Service {
    @Override
    public String describe(ControlMessage open) {
        return "nettest "
                + Suites.named(((OpenNettest) open).suite()).map(Suite::name).orElse("of an unknown suite");
    }

    @Override
    public SessionActivity.Kind kind(ControlMessage open) {
        // As for a test of both directions.
        return new SessionActivity.Kind(SessionActivity.Service.NETTEST, SessionActivity.Direction.OUT);
    }

    @Override
    public Grant grant(ControlMessage open) {
        NettestPlan plan = Suites.plan((OpenNettest) open);
        if (plan.suite().writesLog(plan)) {
            resources.logDirectory();
        }
        if (plan.path().clear() && !clearLanesAllowed) {
            throw Cause.REFUSED
                    .advise("add --tls to measure encrypted lanes")
                    .failure("the server refuses clear lanes also for network tests");
        }
        return new Grant(
                plan.lanesOut() + plan.lanesIn(),
                plan.path().clear(),
                plan.path().timeoutMs());
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        NettestPlan plan = Suites.plan((OpenNettest) open);
        long bytes = plan.suite().serverBytes(plan);
        TransferException failure = null;
        ServerSide side = null;
        SuiteSide suite = null;
        try {
            requireMayWrite(session, plan);
            Side.requireLanes(session.lanes(), plan);
            session.budget().take(Resource.DIRECT_MEMORY, bytes);
            reserve(session, bytes);
            suite = plan.suite().server(plan, resources);
            side = new ServerSide(session, suite, plan, root, pacing.apply(session));
            session.serve(side, () -> {});
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            session.end(failure);
        } finally {
            if (side != null) {
                side.close(failure);
            }
            if (suite != null) {
                suite.close();
            }
            session.budget().give(Resource.TEST_MEMORY, bytes);
        }
        long moved = side == null
                ? 0
                : side.state().lanes().stream().mapToLong(LaneState::bytes).sum();
        return session.summary(failure, 0, 0, moved);
    }

    private void reserve(Session session, long bytes) {
        if (session.budget().takePieces(Resource.TEST_MEMORY, 1, 1, bytes) == 0) {
            throw Cause.SHARE_USED_UP
                    .advise("use fewer or smaller objects, lanes or blocks, or raise --nettest-memory on the server")
                    .failure("this network test needs " + mebibytes(bytes)
                            + " MiB, and less is left for this key of the " + mebibytes(resources.memoryBytes())
                            + " MiB that the server has for all such tests");
        }
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    private static void requireMayWrite(Session session, NettestPlan plan) {
        if (plan.suite().writesLog(plan) && !session.permits(Right.WRITE)) {
            throw Cause.READ_ONLY_KEY.failure("this key is read-only and cannot write the log for --durable log");
        }
    }
}
