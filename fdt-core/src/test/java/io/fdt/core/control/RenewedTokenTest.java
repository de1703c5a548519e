package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.security.BearerToken;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.TokenAccess;
import io.fdt.core.token.Issuers;
import io.fdt.core.token.TestIssuer;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.token.TokenSettings.TrustedIssuer;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.LinkTransport;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file with a client's token is replaced while a session is open. */
class RenewedTokenTest {
    private final TestIssuer issuer = TestIssuer.es256("e1");
    private final long now = Instant.now().getEpochSecond();
    private final CompletableFuture<Session> served = new CompletableFuture<>();
    private final List<String> refusals = new CopyOnWriteArrayList<>();

    @TempDir
    Path home = Path.of("unset");

    private JsonObject claims(long seconds) {
        return TestIssuer.claims(now, "storage.read:/").with("exp", now + seconds);
    }

    private void write(String token) throws IOException {
        Path next = Files.writeString(home.resolve("token.new"), token);
        Files.move(next, home.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The session ends as the token does; clocks may differ by a minute. */
    private void awaitEnd(Session session, long seconds) {
        Instant end = Instant.ofEpochSecond(now + seconds + 60);
        Await.until("the session ends later", () -> end.equals(session.key().expires()));
    }

    @Test
    void theSessionEndsWithTheNewestTokenOfItsSubject() throws Exception {
        Path keys = TestIssuer.publish(home.resolve("issuer"), issuer);
        TokenSettings trusted =
                new TokenSettings(List.of(new TrustedIssuer(TestIssuer.URL, keys, null, null)), List.of("dtn.example"));
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        write(issuer.sign(claims(600)));
        Service service = new TestService(0, false, (session, open) -> {
            served.complete(session);
            session.serve(new QuietRole(), () -> {});
            return session.summary(null, 0, 0, 0);
        });
        try (LinkTransport here = network.newTransport(8192, 4);
                LinkTransport there = network.newTransport(8192, 4);
                Server server = new Server(
                        new Server.Keys(
                                Fingerprint.ofBytes(new byte[32]),
                                new KeyStore(home),
                                new Delegations(Clock.SYSTEM, ""),
                                Issuers.of(trusted, refusals::add),
                                AccountProcesses.NONE),
                        request -> service,
                        ServerLimits.DEFAULT,
                        new Refusals(),
                        "fdt",
                        Clock.SYSTEM);
                Transport.Listener listener = there.listen(new InetSocketAddress("localhost", 0), server);
                Client client = new Client(
                        here,
                        new TokenAccess(BearerToken.ofFile(home.resolve("token")), "localhost", null),
                        "fdt",
                        Clock.SYSTEM,
                        null)) {
            Session opened = client.open(listener.address(), null, ServedNetwork.request(), Await.LIMIT_MS);
            opened.attach(new QuietRole());
            Session session = served.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            awaitEnd(session, 600);
            for (long seconds = 1200; seconds < 3000; seconds += 600) {
                write(issuer.sign(claims(seconds)));
                awaitEnd(session, seconds);
            }
            assertThat(refusals).isEmpty();

            write(issuer.sign(claims(9000).with("sub", "bob")));
            Await.until(
                    "bob is refused",
                    () -> refusals.stream().anyMatch(why -> why.contains("of the same subject and scopes")));
            write(issuer.sign(TestIssuer.claims(now, "storage.modify:/")));
            Await.until("more rights are refused", () -> refusals.size() == 2);
            write("not.a.token");
            Await.until("the last is refused", () -> refusals.size() == 3);
            awaitEnd(session, 2400);
            write(issuer.sign(claims(3600)));
            awaitEnd(session, 3600);
            assertThat(server.sessions()).isOne();
            opened.end(null);
        }
    }

    private final class Refusals implements ServerObserver {
        @Override
        public void onRefused(String peer, String why) {
            refusals.add(why);
        }
    }
}
