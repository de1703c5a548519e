package io.fdt.core.hostile;

import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.SessionProof;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.LaneHello;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.TransferMessage;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client that holds a key and follows no rules. */
final class HostileClient implements AutoCloseable {
    private static final long TIMEOUT_MS = Await.LIMIT_MS;

    /** How long the client may be silent, or gone without notice: longer than any test takes. */
    private static final long SILENCE_MS = 600_000;

    private final InetSocketAddress server;
    private final ServerAccess access;
    private final TcpTransport transport;

    HostileClient(InetSocketAddress server, ServerAccess access) {
        this.server = server;
        this.access = access;
        this.transport = TcpTransport.forClient(TcpSettings.DEFAULTS, Set.of(access.fingerprint()), accepted -> {});
    }

    /** A client of the same server that has only this lent key. */
    HostileClient with(ThirdPartyMessage.Delegated lent) {
        return new HostileClient(
                server, new ServerAccess(access.fingerprint(), lent.keyId(), Secret.ofBytes(lent.secret())));
    }

    /** From now on, connects to the process of the account that its key names. */
    void goToAccount() throws InterruptedException {
        transport.route(
                required(authenticated().next(SessionMessage.Elsewhere.class)).route());
    }

    /** Opens a link on which nothing has been sent. */
    RawLink connect() {
        return new RawLink(transport.connectLink(server, null, TIMEOUT_MS));
    }

    RawLink authenticated() throws InterruptedException {
        RawLink link = connect();
        SessionMessage.Challenge challenge = required(link.next(SessionMessage.Challenge.class));
        link.send(new SessionMessage.Authenticate(
                access.keyId(), SessionProof.ofClient(access, challenge.nonce()), "fdt hostile"));
        return link;
    }

    /** Opens another link for a session, with a valid proof and this count of received messages. */
    RawLink reattach(SessionMessage.Opened session, long heard) throws InterruptedException {
        RawLink link = connect();
        byte[] nonce = required(link.next(SessionMessage.Challenge.class)).nonce();
        link.send(new SessionMessage.Authenticate(access.keyId(), SessionProof.ofClient(access, nonce), "fdt hostile"));
        byte[] proof = SessionProof.ofReattachment(Secret.ofBytes(session.secret()), session.sessionId(), nonce);
        link.send(new SessionMessage.Reattach(session.sessionId(), proof, heard));
        return link;
    }

    Opened open(ControlMessage request) throws InterruptedException {
        RawLink link = authenticated();
        link.send(request);
        return new Opened(link, required(link.next(SessionMessage.Opened.class)));
    }

    record Opened(RawLink link, SessionMessage.Opened session) {}

    static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new AssertionError("the server closed the link");
        }
        return value;
    }

    RawLane lane(boolean clear) {
        return new RawLane(transport.connect(server, null, clear, TIMEOUT_MS));
    }

    /** Opens a lane that has sent this hello. */
    RawLane lane(SessionMessage.Opened session, int index, int attempt, byte[] proof, boolean clear) {
        RawLane lane = lane(clear);
        lane.send(hello(session, index, attempt, proof));
        return lane;
    }

    static byte[] hello(SessionMessage.Opened session, int index, int attempt, byte[] proof) {
        ByteBuffer hello = ByteBuffer.allocate(LaneHello.LENGTH_BYTES);
        new LaneHello(session.sessionId(), index, attempt, proof).write(hello);
        return hello.array();
    }

    static byte[] proof(SessionMessage.Opened session, int index, int attempt) {
        return SessionProof.ofLane(Secret.ofBytes(session.secret()), session.sessionId(), index, attempt);
    }

    static TransferMessage.OpenTransfer push(String target) {
        return request(Direction.PUSH, List.of(), RawPath.ofText(target), false);
    }

    static TransferMessage.OpenTransfer pull(String source) {
        return request(Direction.PULL, List.of(RawPath.ofText(source)), RawPath.ofText("/dev/null"), false);
    }

    static TransferMessage.OpenTransfer request(
            Direction direction, List<RawPath> sources, RawPath target, boolean clear) {
        return request(direction, sources, target, TargetRules.Durability.NONE, clear);
    }

    /** A push that leaves data to resume from, and may contain ranges of files. */
    static TransferMessage.OpenTransfer durablePush(String target) {
        return request(Direction.PUSH, List.of(), RawPath.ofText(target), TargetRules.Durability.END, false);
    }

    /** A push of files that are kept or replaced according to their digests. */
    static TransferMessage.OpenTransfer comparingPush(String target) {
        return new TransferMessage.OpenTransfer(push(target)
                .request()
                .with(CopyValue.EXISTING, TargetRules.Existing.SKIP_SAME)
                .with(CopyValue.COMPARE, TargetRules.Comparison.DIGEST)
                .with(CopyValue.PRESERVE, Set.of()));
    }

    /** Changes the request to one of a client that may not be silent for longer than this. */
    static TransferMessage.OpenTransfer silentFor(long silenceMs, TransferMessage.OpenTransfer open) {
        return new TransferMessage.OpenTransfer(open.request().with(CopyValue.TIMEOUT_MS, silenceMs));
    }

    /** A push after which the target contains nothing but what was offered. */
    static TransferMessage.OpenTransfer mirroringPush(String target) {
        return new TransferMessage.OpenTransfer(push(target)
                .request()
                .with(CopyValue.DURABLE, TargetRules.Durability.END)
                .with(CopyValue.PRESERVE, Set.of())
                .with(CopyValue.MIRROR, new TargetRules.Mirror(TargetRules.Mirror.UNLIMITED, true)));
    }

    /** Changes the request to one that only reports. */
    static TransferMessage.OpenTransfer dry(TransferMessage.OpenTransfer open) {
        return new TransferMessage.OpenTransfer(open.request().with(CopyValue.DRY_RUN, true));
    }

    private static TransferMessage.OpenTransfer request(
            Direction direction,
            List<RawPath> sources,
            RawPath target,
            TargetRules.Durability durability,
            boolean clear) {
        return new TransferMessage.OpenTransfer(TransferPlan.of(direction, sources, target)
                .with(CopyValue.EXISTING, TargetRules.Existing.OVERWRITE)
                .with(CopyValue.DURABLE, durability)
                .with(CopyValue.PRESERVE, EnumSet.allOf(TargetRules.Preserve.class))
                .lanes(2)
                .with(CopyValue.CLEAR_LANES, clear)
                .with(CopyValue.TIMEOUT_MS, SILENCE_MS)
                .with(CopyValue.CHUNK_BYTES, 1 << 20));
    }

    @Override
    public void close() {
        transport.close();
    }
}
