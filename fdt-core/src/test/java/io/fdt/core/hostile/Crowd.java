package io.fdt.core.hostile;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Plans;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.VerifyMessage;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * As many sessions of one key as there are, each busy with the same kind of request, on a server whose root has {@code
 * endless}, a file that nobody hashes to its end, and {@code deep}, a {@linkplain GreedyAttacks#makeDeepTree deep
 * tree}. Not thread-safe.
 */
public final class Crowd implements AutoCloseable {
    private static final int LONG_MS = 600_000;
    private static final int BLOCK_BYTES = 1 << 20;

    /** What each session of it does. */
    public enum Request {
        PUSH,
        PULL,
        VERIFY,
        LIST,
        OPERATIONS,
        DELEGATION,
        JOBS,
        NETWORK_TEST;

        /** Whether a session without its client ends, though its client did not say so. */
        public boolean endsWithItsLink() {
            return this == VERIFY || this == LIST || this == OPERATIONS;
        }
    }

    private final HostileClient client;
    private final Request request;
    private final List<HostileClient.Opened> sessions = new ArrayList<>();

    /** @param keyLine the line that {@code fdt key show} prints */
    public Crowd(InetSocketAddress server, String keyLine, Request request) {
        this.client = new HostileClient(server, ServerAccess.parse(keyLine));
        this.request = request;
    }

    /** Opens sessions, this many at most; returns how many there are now. */
    public int open(int count) throws InterruptedException {
        while (sessions.size() < count) {
            RawLink link = client.authenticated();
            link.send(opening());
            SessionMessage.Opened opened = link.next(SessionMessage.Opened.class);
            if (opened == null) {
                break;
            }
            HostileClient.Opened session = new HostileClient.Opened(link, opened);
            sessions.add(session);
            begin(session);
        }
        return sessions.size();
    }

    private ControlMessage opening() {
        return switch (request) {
            case PUSH -> HostileClient.push("/in/");
            case PULL -> HostileClient.pull("/deep");
            case VERIFY ->
                new VerifyMessage.OpenVerify(RawPath.ofText("/endless"), FileHash.MD5, false, false, true, 64, LONG_MS);
            case LIST -> new VerifyMessage.OpenList(RawPath.ofText("/"), true, true, LONG_MS, null);
            case OPERATIONS -> new FileMessage.OpenFiles(LONG_MS, null);
            case DELEGATION ->
                new ThirdPartyMessage.OpenDelegation(HostileClient.push("/in/").request(), ThirdPartyMessage.ATTACHED);
            case JOBS -> new ThirdPartyMessage.OpenJobs(LONG_MS, JobsPlan.Action.LIST, "", false);
            case NETWORK_TEST ->
                Plans.throughput(
                                new NettestPath("server", 1, false, List.of(), LONG_MS),
                                1,
                                NettestPlan.Direction.OUT,
                                LONG_MS,
                                BLOCK_BYTES,
                                NettestPlan.Receive.COPY)
                        .request();
        };
    }

    private void begin(HostileClient.Opened session) {
        RawLink link = session.link();
        if (request == Request.PUSH) {
            int number = sessions.size();
            link.send(new TransferMessage.SourceShape(false));
            link.send(new TransferMessage.ManifestPage(0, List.of(Frames.file("f" + number, BLOCK_BYTES))));
        } else if (request == Request.OPERATIONS) {
            for (int id = 1; id <= Bounds.MAX_OPERATIONS; id++) {
                boolean sum = id % 2 == 0;
                link.send(new FileMessage.Operate(
                        id,
                        new FileOperation(
                                sum ? FileOperation.Action.SUM : FileOperation.Action.LIST,
                                List.of(RawPath.ofText(sum ? "/endless" : "/deep")),
                                true,
                                sum ? FileHash.MD5 : DigestKind.NONE)));
            }
        }
    }

    /** Cuts every link, and returns to its session on another one, if the server still has it. */
    public void returnToAll() throws InterruptedException {
        for (HostileClient.Opened each : List.copyOf(sessions)) {
            each.link().abort(Cause.CONNECTION_LOST.failure("cut"));
            sessions.remove(each);
            RawLink again = client.reattach(each.session(), 0);
            if (again.next(SessionMessage.Reattached.class) != null) {
                sessions.add(new HostileClient.Opened(again, each.session()));
            }
        }
    }

    /** Closes every connection; where the server would otherwise wait for the client, after telling it. */
    public void disappear() {
        for (HostileClient.Opened each : sessions) {
            if (request.endsWithItsLink()) {
                each.link().abort(Cause.CONNECTION_LOST.failure("gone"));
            } else {
                each.link().leave();
            }
        }
        Await.until(
                "all links are closed",
                () -> sessions.stream().allMatch(each -> each.link().isClosed()));
        sessions.clear();
    }

    @Override
    public void close() {
        client.close();
    }
}
