package io.fdt.core.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys that an issuer publishes, and what a host in its place may answer. */
final class FetchedKeysTest {
    private static final TestIssuer FIRST = TestIssuer.es256("e1");
    private static final TestIssuer NEXT = TestIssuer.es256("e2");
    private static final long LONG_MS = 120_000;

    private final Map<String, String> pages = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @SuppressWarnings("NullAway.Init")
    private String issuer;

    @BeforeEach
    void publish() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            asked.add(path);
            String page = pages.get(path);
            if (path.equals("/hangs")) {
                Await.until("the test ends", end);
            } else if (path.equals("/endless")) {
                exchange.sendResponseHeaders(200, 0);
                try (OutputStream out = exchange.getResponseBody()) {
                    while (end.getCount() > 0) {
                        out.write(new byte[64 << 10]);
                    }
                }
            } else if (path.equals("/drips")) {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write('{');
                exchange.getResponseBody().flush();
                Await.until("the test ends", end);
            } else if (path.equals("/elsewhere")) {
                exchange.getResponseHeaders().add("Location", "/keys");
                exchange.sendResponseHeaders(302, -1);
            } else if (page == null) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
            exchange.close();
        });
        server.start();
        issuer = url("/vo");
        pages.put("/keys", TestIssuer.keys(FIRST.jwk()));
        metadata("/vo/.well-known/openid-configuration", "/keys");
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private void metadata(String at, String keys) {
        pages.put(
                at,
                new JsonObject()
                        .with("issuer", issuer)
                        .with("jwks_uri", url(keys))
                        .text());
    }

    private static boolean knows(KeySet keys, TestIssuer issuer) throws BadTokenException {
        return keys.knowsKeyOf(SignedToken.parse(issuer.sign(TestIssuer.claims(0, ""))));
    }

    private KeySet fetch(long timeoutMs) throws IOException, InterruptedException {
        return new PublishedKeys(issuer, timeoutMs).fetch();
    }

    @Test
    void metadataNamesTheKeys() throws Exception {
        assertThat(knows(fetch(LONG_MS), FIRST)).isTrue();
        pages.remove("/vo/.well-known/openid-configuration");
        metadata("/.well-known/oauth-authorization-server/vo", "/keys");
        assertThat(knows(fetch(LONG_MS), FIRST)).isTrue();
        assertThat(asked).last().isEqualTo("/keys");
    }

    @Test
    void hostThatHangsOrDripsIsGivenUp() {
        for (String path : List.of("/hangs", "/drips")) {
            metadata("/vo/.well-known/openid-configuration", path);
            assertThatThrownBy(() -> fetch(500)).hasMessageContaining("does not answer within");
        }
    }

    @Test
    void answerWithoutEndIsNotRead() {
        metadata("/vo/.well-known/openid-configuration", "/endless");
        assertThatThrownBy(() -> fetch(LONG_MS)).hasMessageContaining("longer than 256 KiB");
    }

    @Test
    void redirectsAreNotFollowed() {
        metadata("/vo/.well-known/openid-configuration", "/elsewhere");
        assertThatThrownBy(() -> fetch(LONG_MS)).hasMessageContaining("answers with status 302");
        assertThat(asked).doesNotContain("/keys");
    }

    @Test
    void metadataOfOthersIsRefused() {
        issuer = url("/vo2");
        pages.put(
                "/vo2/.well-known/openid-configuration",
                Objects.requireNonNull(pages.get("/vo/.well-known/openid-configuration")));
        assertThatThrownBy(() -> fetch(LONG_MS)).hasMessageContaining("another issuer");
    }

    @Test
    void keysAreFetchedOnlyOverHttpsOrFromThisHost() {
        for (String keys : List.of("file:///etc/passwd", "http://10.0.0.1/keys", "ftp://a/b", "")) {
            pages.put(
                    "/vo/.well-known/openid-configuration",
                    new JsonObject()
                            .with("issuer", issuer)
                            .with("jwks_uri", keys)
                            .text());
            assertThatThrownBy(() -> fetch(LONG_MS)).hasMessageContaining("no URL of keys");
        }
    }

    /** A new key is used at once, and tokens that name unknown ones cause one request a minute. */
    @Test
    void unknownKeyHasKeysFetchedAgain() throws Exception {
        AtomicInteger fetches = new AtomicInteger();
        try (FetchedKeys keys = new FetchedKeys(
                issuer,
                () -> {
                    fetches.incrementAndGet();
                    return fetch(LONG_MS);
                },
                nanos::get,
                warnings::add)) {
            await(keys);
            assertThat(keys.whenFetched(() -> {}, false)).as("so soon").isFalse();
            pages.put("/keys", TestIssuer.keys(NEXT.jwk()));
            nanos.addAndGet(FetchedKeys.AGAIN_NANOS);
            CountDownLatch fetched = new CountDownLatch(1);
            assertThat(keys.whenFetched(fetched::countDown, false)).isTrue();
            Await.until("the keys are fetched", fetched);
            KeySet now = Objects.requireNonNull(keys.known());
            assertThat(knows(now, NEXT)).isTrue();
            assertThat(knows(now, FIRST)).isFalse();
            assertThat(keys.whenFetched(() -> {}, false)).isFalse();
            assertThat(fetches.get()).isEqualTo(2);
            assertThat(warnings).isEmpty();
        }
    }

    /** The token of a session was renewed just after the issuer had changed its key. */
    @Test
    void whoIsPatientWaitsUntilKeysMayBeFetchedAgain() throws Exception {
        try (FetchedKeys keys =
                new FetchedKeys(issuer, new PublishedKeys(issuer, LONG_MS), nanos::get, warnings::add)) {
            await(keys);
            pages.put("/keys", TestIssuer.keys(NEXT.jwk()));
            nanos.addAndGet(FetchedKeys.AGAIN_NANOS - 1);
            CountDownLatch fetched = new CountDownLatch(1);
            assertThat(keys.whenFetched(fetched::countDown, true)).isTrue();
            assertThat(knows(Objects.requireNonNull(keys.known()), NEXT)).isFalse();
            nanos.incrementAndGet();
            Await.until("the keys are fetched", fetched);
            assertThat(knows(Objects.requireNonNull(keys.known()), NEXT)).isTrue();
        }
    }

    @Test
    void keysThatCannotBeFetchedAgainAreUsedForADay() throws Exception {
        try (FetchedKeys keys =
                new FetchedKeys(issuer, new PublishedKeys(issuer, LONG_MS), nanos::get, warnings::add)) {
            await(keys);
            pages.clear();
            nanos.addAndGet(FetchedKeys.MAX_AGE_NANOS);
            CountDownLatch tried = new CountDownLatch(1);
            assertThat(keys.whenFetched(tried::countDown, false)).isTrue();
            Await.until("it was tried", tried);
            assertThat(keys.known()).isNotNull();
            nanos.incrementAndGet();
            assertThat(keys.known()).isNull();
            assertThat(warnings).singleElement().asString().contains("cannot fetch the keys of the issuer " + issuer);
        }
    }

    /** The first token may come before the first answer. */
    @Test
    void tokenWaitsForTheFirstKeys() throws Exception {
        TokenSettings settings = new TokenSettings(
                List.of(new TokenSettings.TrustedIssuer(issuer, null, null, null)), List.of("dtn.example"));
        try (Issuers issuers = Issuers.of(settings, warnings::add)) {
            String token = FIRST.sign(TestIssuer.claims(Instant.now().getEpochSecond(), "storage.read:/")
                    .with("iss", issuer));
            CountDownLatch fetched = new CountDownLatch(1);
            if (issuers.verify(token, fetched::countDown) == null) {
                Await.until("the keys are fetched", fetched);
            }
            assertThat(issuers.verify(token, null)).isNotNull();
        }
    }

    /** As on SIGHUP: the key that an issuer has withdrawn admits nobody from then on. */
    @Test
    void keysAreFetchedOnRequest() {
        TokenSettings settings = new TokenSettings(
                List.of(new TokenSettings.TrustedIssuer(issuer, null, null, null)), List.of("dtn.example"));
        try (Issuers issuers = Issuers.of(settings, warnings::add)) {
            String token = FIRST.sign(TestIssuer.claims(Instant.now().getEpochSecond(), "storage.read:/")
                    .with("iss", issuer));
            Await.until("the first keys", () -> isAccepted(issuers, token));
            pages.put("/keys", TestIssuer.keys(NEXT.jwk()));
            issuers.fetchNow();
            Await.until("the next keys", () -> !isAccepted(issuers, token));
        }
    }

    private static boolean isAccepted(Issuers issuers, String token) {
        try {
            return issuers.verify(token, null) != null;
        } catch (TransferException refused) {
            return false;
        }
    }

    private static void await(FetchedKeys keys) {
        Await.until("the first keys", () -> keys.known() != null);
    }
}
