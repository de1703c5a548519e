package io.fdt.core.nettest.service;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.Word;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.objects.ObjectsHost;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.nio.file.Path;

public record NettestService(boolean clearLanesAllowed, String software, Path root, ObjectsHost objects)
        implements Service {
    @Override
    public boolean accepts(ControlMessage open) {
        return open instanceof OpenNettest;
    }

    @Override
    public String describe(ControlMessage open) {
        return "nettest " + Word.of(((OpenNettest) open).suite());
    }

    @Override
    public Grant grant(ControlMessage open) {
        OpenNettest request = (OpenNettest) open;
        Suites.check(request);
        objects.check(request);
        if (request.clear() && !clearLanesAllowed) {
            throw FailureKind.REFUSED.failure(
                    "the server refuses clear lanes also for network tests; add --tls to measure encrypted lanes");
        }
        return new Grant(request.lanesOut() + request.lanesIn(), request.clear(), request.timeoutMs());
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        OpenNettest request = (OpenNettest) open;
        TransferException failure = null;
        ServerSide side = null;
        SuiteSide suite = null;
        try {
            requireMayWrite(session, request);
            Side.requireLanes(session.lanes(), request);
            suite = Suites.ofServer(request, objects);
            side = new ServerSide(session, suite, request, software, root);
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
        }
        long bytes = side == null
                ? 0
                : side.state().lanes().stream().mapToLong(LaneState::bytes).sum();
        return Summary.of(failure, 0, 0, bytes, session.lanes(), session.elapsedNanos(), session.name());
    }

    private static void requireMayWrite(Session session, OpenNettest request) {
        if (request.objects() != null && request.objects().logged() && !session.mayWrite()) {
            throw FailureKind.REFUSED.failure("this key is read-only and cannot write the log for --durable log");
        }
    }
}
