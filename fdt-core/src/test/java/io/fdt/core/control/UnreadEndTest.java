package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.SessionProof;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.VerifyMessage;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that does not read keeps its link open for a while after the server has closed it. With session after
 * session it would have more links than its key may hold, if they did not count.
 */
class UnreadEndTest {
    /** Two for one key: each session leaves to the next as much as it holds. */
    private static final int CONNECTIONS = 3;

    private static final RawPath STAYS = RawPath.ofText("/stays");

    @TempDir
    Path home = Path.of("unset");

    private final Identity identity = Identity.create();
    private ServerAccess access = new ServerAccess(identity.fingerprint(), "", Secret.random());
    private @Nullable Server server;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    @BeforeEach
    void serve() {
        KeyStore keys = new KeyStore(home);
        keys.createDefaultOnce();
        access = ServerAccess.of(identity, Objects.requireNonNull(keys.defaultKey()));
        server = new Server(
                new Server.Keys(identity.fingerprint(), keys, new Delegations(Clock.SYSTEM, "")),
                request -> new TestService(0, false, UnreadEndTest::fail),
                ServerLimits.builder().connections(CONNECTIONS).build(),
                new ServerObserver() {},
                "fdt",
                Clock.SYSTEM,
                task -> {
                    Thread thread = new Thread(task);
                    threads.add(thread);
                    return thread;
                });
    }

    @AfterEach
    void stop() {
        Objects.requireNonNull(server).close();
    }

    private static <M extends ControlMessage> @Nullable M last(RecordedLink link, Class<M> type) {
        return link.messages.stream()
                .filter(type::isInstance)
                .map(type::cast)
                .reduce((first, second) -> second)
                .orElse(null);
    }

    /** Proves the key on a link, and requests something with the nonce. */
    private RecordedLink requested(Function<byte[], ControlMessage> request) {
        RecordedLink link = new RecordedLink();
        Objects.requireNonNull(server).onLink(link);
        Await.until("a challenge", () -> last(link, SessionMessage.Challenge.class) != null);
        byte[] nonce = Objects.requireNonNull(last(link, SessionMessage.Challenge.class))
                .nonce();
        link.receive(new SessionMessage.Authenticate(access.keyId(), SessionProof.ofClient(access, nonce), "fdt"));
        if (!link.closed) {
            link.receive(request.apply(nonce));
        }
        return link;
    }

    private RecordedLink closedAfter(Function<byte[], ControlMessage> request) {
        RecordedLink link = requested(request);
        Await.until("the server has closed it", () -> link.closed);
        return link;
    }

    private RecordedLink failed() {
        RecordedLink link = closedAfter(nonce -> request(RawPath.EMPTY));
        Await.until("its session has ended", () -> threads.stream().noneMatch(Thread::isAlive));
        return link;
    }

    private static ControlMessage request(RawPath path) {
        return new VerifyMessage.OpenVerify(path, DigestKind.NONE, false, false, false, 1, Await.LIMIT_MS);
    }

    private static void assertEnd(RecordedLink link, Cause cause) {
        assertThat(last(link, SessionMessage.Failed.class))
                .isNotNull()
                .extracting(failed -> failed.why().exitCode())
                .isEqualTo(cause.exitCode());
    }

    @Test
    void linksOfFailedSessionsCountUntilTheyEnd() {
        List<RecordedLink> links = List.of(failed(), failed());
        assertThat(links).allSatisfy(link -> assertEnd(link, Cause.SOURCE));

        assertEnd(failed(), Cause.UNAVAILABLE);

        links.forEach(RecordedLink::end);
        assertEnd(failed(), Cause.SOURCE);
    }

    @Test
    void linksThatReturnToTheirSessionInVainCountUntilTheyEnd() {
        RecordedLink first = requested(nonce -> request(STAYS));
        Await.until("the session is open", () -> last(first, SessionMessage.Opened.class) != null);
        SessionMessage.Opened session = Objects.requireNonNull(last(first, SessionMessage.Opened.class));

        RecordedLink second = closedAfter(nonce -> inVain(session, nonce));
        assertEnd(second, Cause.VERSION);
        assertEnd(closedAfter(nonce -> inVain(session, nonce)), Cause.UNAVAILABLE);

        second.end();
        assertEnd(closedAfter(nonce -> inVain(session, nonce)), Cause.VERSION);
    }

    /** With a number of received messages that were not sent. */
    private static ControlMessage inVain(SessionMessage.Opened session, byte[] nonce) {
        return new SessionMessage.Reattach(
                session.sessionId(),
                SessionProof.ofReattachment(Secret.ofBytes(session.secret()), session.sessionId(), nonce),
                1_000);
    }

    private static Summary fail(Session session, ControlMessage open) throws InterruptedException {
        if (((VerifyMessage.OpenVerify) open).path().equals(STAYS)) {
            session.serve(new QuietRole(), () -> {});
        }
        throw Cause.SOURCE.failure("the service broke");
    }
}
