package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Fdt;
import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.basic.HostView;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.VerifyMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the ends of a session report to each other about their hosts: to whom, how often, and what they accept. */
class HostExchangeTest {
    private static final HostView CLIENT = new HostView(
            "test-client", List.of(new HostView.Core(0, 0, new HostView.Shares(0.5, 0, 0, 0, 0, 0, 0))), List.of());

    @TempDir
    Path directory;

    private TestServer server;
    private HostileClient client;

    @BeforeEach
    void start() throws Exception {
        Path home = directory.resolve("home");
        server = new TestServer(home, Files.createDirectories(directory.resolve("root")));
        IssuedKey key = new KeyStore(home).create("hostile", Permission.READ_WRITE, null);
        client = new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), key));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static ControlMessage request() {
        return new VerifyMessage.OpenVerify(
                RawPath.ofText("/"), DigestKind.NONE, false, true, false, 1, Await.LIMIT_MS);
    }

    /** Returns the server's session. */
    private SessionActivity opened() {
        Await.until("a session", () -> !server.opened.isEmpty());
        return server.opened.element();
    }

    @Test
    void bothEndsSeeEachOthersHost() throws Exception {
        CompletableFuture<SessionActivity> opened = new CompletableFuture<>();
        TestPlan plan = TestPlan.zeros(3_600).lanes(1).rate(80_000_000);
        try (TransferJob copy = Fdt.at(directory.resolve("home")).copy(plan.at(server.port()), new Telling(opened))) {
            SessionActivity here = opened.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            SessionActivity there = opened();

            assertThat(here.peerHost().view()).as("nobody has asked").isNull();
            assertThat(awaitView(here)).isEqualTo(TestServer.HOST);
            assertThat(awaitView(there)).isEqualTo(CLIENT);

            copy.interrupt(Failure.of(Cause.INTERRUPTED, "seen enough"));
            copy.await();
            assertThat(here.peerHost().view()).as("it is over").isNull();
        }
    }

    /** Asks until there is an answer, and returns it: it grows old within seconds. */
    private static @Nullable HostView awaitView(SessionActivity session) {
        AtomicReference<@Nullable HostView> view = new AtomicReference<>();
        Await.until("this end sees the other", () -> {
            session.peerHost().ask();
            view.set(session.peerHost().view());
            return view.get() != null;
        });
        return view.get();
    }

    /** An observer of a server may see a session before its client does. */
    @Test
    void sendsOneRequestAtATime() throws Exception {
        server.whenOpened = session -> session.peerHost().ask();
        RawLink link = client.authenticated();
        link.send(request());
        assertThat(link.poll(Await.LIMIT_MS)).isInstanceOf(SessionMessage.Opened.class);
        assertThat(link.next(SessionMessage.AskHost.class)).isNotNull();
        link.close();
    }

    /** However often the peer asks. */
    @Test
    void reportsAtMostOnceASecond() throws Exception {
        HostileClient.Opened session = client.open(request());
        long beganNanos = System.nanoTime();
        for (int i = 0; i < 2_000; i++) {
            session.link().send(new SessionMessage.AskHost());
        }
        for (int told = 1; told <= 3; told++) {
            assertThat(session.link().next(SessionMessage.HostReport.class)).isNotNull();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos))
                    .as("when it told for time %s", told)
                    .isGreaterThan(1_000L * told - 100);
        }
        session.link().close();
    }

    @Test
    void reportsOnlyToSessionsWithKey() throws Exception {
        RawLink stranger = client.connect();
        stranger.send(new SessionMessage.AskHost());
        assertThat(stranger.next(SessionMessage.HostReport.class)).isNull();
        RawLink withoutSession = client.authenticated();
        withoutSession.send(new SessionMessage.AskHost());
        assertThat(withoutSession.next(SessionMessage.HostReport.class)).isNull();

        assertThat(server.opened).isEmpty();
    }

    @Test
    void ignoresUnrequestedReports() throws Exception {
        HostileClient.Opened session = client.open(request());
        SessionActivity there = opened();
        for (int i = 0; i < 1_000; i++) {
            session.link().send(new SessionMessage.HostReport(CLIENT));
        }
        // The answer to this shows that the server has received everything before it.
        session.link().send(new SessionMessage.AskHost());
        assertThat(session.link().next(SessionMessage.HostReport.class)).isNotNull();
        there.peerHost().ask();
        assertThat(session.link().next(SessionMessage.AskHost.class)).isNotNull();
        assertThat(there.peerHost().view())
                .as("what came before it was asked for")
                .isNull();

        session.link().send(new SessionMessage.HostReport(CLIENT));
        Await.until("the server takes what it asked for", () -> there.peerHost().view() != null);
        Await.until("what it was told grows old", () -> there.peerHost().view() == null);
        session.link().close();
    }

    /** A client that reports its host and exposes its session. */
    private record Telling(CompletableFuture<SessionActivity> opened) implements TransferObserver {
        @Override
        public void onActivity(SessionActivity session) {
            session.setHostSource(() -> CLIENT);
            opened.complete(session);
        }

        @Override
        public void onStart(String session, int lanes, String transport, String peer) {}

        @Override
        public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {}

        @Override
        public void onWarning(String message) {}
    }

    /** @param gone whether the client has disconnected and might reconnect, instead of being connected and silent */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noSessionOutlivesItsServer(boolean gone) throws Exception {
        HostileClient.Opened session = client.open(HostileClient.push("/left/"));
        if (gone) {
            session.link().abort(Cause.INTERRUPTED.failure("gone"));
        }
        server.close();
        Await.until("the session has ended", () -> server.ended.size() == 1);
        session.link().close();
    }
}
