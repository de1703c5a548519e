package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Right;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.SessionProof;
import io.fdt.core.storage.posix.FileWatch;
import io.fdt.core.token.Issuers;
import io.fdt.core.token.TestIssuer;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.token.TokenSettings.TrustedIssuer;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which clients get from a link to a session, and what the server tells all others. */
final class HandshakeTest {
    private static final long LONG_MS = 600_000;
    private static final long MEMORY_BYTES = 8 << 20;
    private static final ControlMessage REQUEST =
            new VerifyMessage.OpenVerify(RawPath.EMPTY, DigestKind.NONE, false, false, false, 1, 10_000);

    @TempDir
    Path home;

    private final Identity identity = Identity.create();
    private final Delegations delegations = new Delegations(() -> 0, "");
    private final RecordedLink link = new RecordedLink();
    private final ScheduledThreadPoolExecutor timer = Timers.newTimer();
    private Budgets budgets = new Budgets(Map.of(Resource.HEAP, MEMORY_BYTES), () -> false);
    private final OpenSessions sessions = new OpenSessions(1, () -> false, new ServerTotals());
    private AccountProcesses processes = AccountProcesses.NONE;
    private final List<String> refusals = new CopyOnWriteArrayList<>();
    private final List<Cause> reasons = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Long> held = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private KeyStore keys;

    @SuppressWarnings("NullAway.Init")
    private KeyWatch watch;

    @SuppressWarnings("NullAway.Init")
    private IssuedKey issued;

    @BeforeEach
    void start() {
        keys = new KeyStore(home);
        issued = keys.create("k", Permission.READ_WRITE, null);
        watch = new KeyWatch(keys, Issuers.NONE, new ServerObserver() {}, List::of);
    }

    @AfterEach
    void stop() {
        watch.close();
        timer.shutdownNow();
        // Until then it may note in the directory, which is about to be removed, that a key was used.
        Await.until(
                "the keys' thread has ended",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("fdt-keys")));
    }

    /** Has a server that trusts an issuer, which signs a token for it. */
    private String token(TestIssuer issuer) throws IOException {
        TokenSettings trusted = new TokenSettings(
                List.of(new TrustedIssuer(
                        TestIssuer.URL,
                        TestIssuer.publish(home.resolve("issuer"), TestIssuer.es256("e1"), issuer),
                        null,
                        null)),
                List.of("dtn.example"));
        watch.close();
        watch = new KeyWatch(keys, Issuers.of(trusted, refusals::add), new ServerObserver() {}, List::of);
        return issuer.sign(TestIssuer.claims(Instant.now().getEpochSecond(), "storage.read:/"));
    }

    private Runnable grant(ControlLink from, ControlMessage request, Handshake.Admitted client, Budget budget) {
        if (client.key().subject() != null) {
            events.add("granted to " + client.key().name());
            return () -> events.add("opened");
        }
        if (!client.key().permission().equals(Permission.READ_WRITE)) {
            throw Cause.REFUSED.failure("the key may not");
        }
        assertThat(client.key()).isEqualTo(issued.key());
        events.add("granted " + request.getClass().getSimpleName());
        held.add(budget.held(Resource.HEAP) - Handshake.LINK_BYTES);
        return () -> {
            assertThat(link.paused).as("the session has no handler yet").isTrue();
            events.add("opened");
        };
    }

    /** Begins the handshake, and returns the nonce of the challenge. */
    private byte[] challenged(long timeoutMs) {
        byte[] nonce = challengedAtOnce(timeoutMs);
        awaitKeysRead();
        return nonce;
    }

    /** On a busy machine a client is challenged before the keys are read, and then asks for a session in vain. */
    private void awaitKeysRead() {
        CountDownLatch read = new CountDownLatch(1);
        watch.whenRead(read::countDown);
        Await.until("the keys are read", read);
    }

    /** The same while nobody can read the keys. */
    private byte[] challengedAtOnce(long timeoutMs) {
        RefusalLimit reported = new RefusalLimit(new ServerObserver() {
            @Override
            public void onRefused(String peer, String why) {
                refusals.add(why);
            }

            @Override
            public void onRefusal(Cause reason) {
                reasons.add(reason);
            }
        });
        handshake(reported, timeoutMs).begin();
        Await.until("a challenge", () -> !link.messages.isEmpty());
        return ((SessionMessage.Challenge) link.messages.get(0)).nonce();
    }

    private Handshake handshake(RefusalLimit reported, long timeoutMs) {
        return new Handshake(ControlLink.toClient(link), terms(reported, timeoutMs));
    }

    private Handshake.Terms terms(RefusalLimit reported, long timeoutMs) {
        return new Handshake.Terms(
                this::grant,
                new Handshake.Admission(watch, delegations, identity.fingerprint(), processes, budgets),
                sessions,
                reported,
                timer,
                timeoutMs,
                "fdt test");
    }

    private void say(ControlMessage message) {
        link.receive(message);
    }

    private void authenticate(byte[] nonce) {
        byte[] proof = SessionProof.ofClient(ServerAccess.of(identity, issued), nonce);
        say(new SessionMessage.Authenticate(issued.key().id(), proof, "fdt test"));
    }

    private void assertRefused(Cause reason, String why) {
        assertRefused(reason.kind(), why);
        assertThat(reasons).containsExactly(reason);
    }

    private void assertRefused(FailureKind kind, String why) {
        assertThat(refusals).hasSize(1).allSatisfy(each -> assertThat(each).contains(why));
        assertThat(reasons).hasSize(1);
        assertThat(link.messages).last().isInstanceOfSatisfying(SessionMessage.Failed.class, failed -> {
            assertThat(failed.why().exitCode()).isEqualTo(kind.exitCode());
            assertThat(failed.why().text()).contains(why);
        });
        assertThat(link.closed).isTrue();
        assertThat(events).isEmpty();
        // Further messages of the client are not even read.
        int told = link.messages.size();
        say(REQUEST);
        say(new SessionMessage.Authenticate("0", new byte[0], ""));
        assertThat(link.messages).hasSize(told);
        assertThat(refusals).hasSize(1);
        assertThat(events).isEmpty();
    }

    @Test
    void keyHolderGetsRequestedSession() {
        byte[] nonce = challenged(LONG_MS);
        assertThat(nonce).hasSize(SessionProof.NONCE_BYTES);
        assertThat(link.admitted).isFalse();
        authenticate(nonce);
        assertThat(link.admitted).isTrue();
        say(REQUEST);
        assertThat(events).containsExactly("granted OpenVerify", "opened");
        // The objects of a request take much more than its bytes.
        long leastBytes = 8L * ControlCodec.encode(REQUEST).length;
        assertThat(held).singleElement().satisfies(bytes -> assertThat(bytes).isBetween(leastBytes, 10_000L));
        assertThat(refusals).isEmpty();
        assertThat(timer.getQueue()).as("no deadline is left").isEmpty();
    }

    @Test
    void tokenHolderGetsRequestedSession() throws IOException {
        String token = token(TestIssuer.es256("e2"));
        challenged(LONG_MS);
        say(new SessionMessage.Bearer(token, "fdt test"));
        assertThat(link.admitted).isTrue();
        say(REQUEST);
        assertThat(events).containsExactly("granted to alice@issuer.example/vo", "opened");
        assertThat(timer.getQueue()).as("no deadline is left").isEmpty();
    }

    @Test
    void refusesTokenThatIssuerDidNotSign() throws IOException {
        token(TestIssuer.es256("e2"));
        challenged(LONG_MS);
        say(new SessionMessage.Bearer(
                TestIssuer.es256("e2").sign(TestIssuer.claims(Instant.now().getEpochSecond(), "storage.read:/")),
                "fdt test"));
        assertRefused(Cause.UNKNOWN_KEY, "its issuer did not sign it");
        assertThat(link.admitted).isFalse();
    }

    @Test
    void refusesTokensWithoutIssuers() {
        challenged(LONG_MS);
        say(new SessionMessage.Bearer("a.b.c", "fdt test"));
        assertRefused(Cause.UNKNOWN_KEY, "this server accepts no tokens");
    }

    /** It has no keys of issuers, and the first process may know others by now. */
    @Test
    void theProcessOfAnAccountSendsUnknownTokensToTheFirstProcess() throws IOException {
        String token = token(TestIssuer.es256("e2"));
        watch.close();
        TokenSettings trusted =
                new TokenSettings(List.of(new TrustedIssuer(TestIssuer.URL, null, null, null)), List.of("dtn.example"));
        Issuers ofAccount = Issuers.ofAccount("ann");
        ofAccount.trust(trusted, refusals::add);
        watch = new KeyWatch(keys, ofAccount, new ServerObserver() {}, List::of);
        challenged(LONG_MS);
        say(new SessionMessage.Bearer(token, "fdt test"));
        assertThat(link.messages)
                .last()
                .isInstanceOfSatisfying(
                        SessionMessage.Elsewhere.class,
                        elsewhere -> assertThat(elsewhere.route()).containsOnly(0));
        assertThat(link.closed).isTrue();
        assertThat(link.admitted).isFalse();
        assertThat(refusals).isEmpty();
    }

    /** A token is not a key: whoever knows the id of its subject cannot prove anything with it. */
    @Test
    void refusesProofOfKeyThatIsToken() throws IOException {
        String token = token(TestIssuer.es256("e2"));
        AccessKey key = Objects.requireNonNull(watch.issuers().verify(token, null));
        byte[] nonce = challenged(LONG_MS);
        say(new SessionMessage.Authenticate(key.id(), key.verifier().bytes(), "fdt test"));
        assertThat(nonce).isNotEmpty();
        assertRefused(Cause.UNKNOWN_KEY, "unknown on the server or does not match");
    }

    @Test
    void refusesMessagesBeforeProof() {
        challenged(LONG_MS);
        say(REQUEST);
        assertRefused(Cause.REFUSED, "authenticate first");
        assertThat(link.admitted).isFalse();
    }

    @Test
    void refusesProofOverOtherNonce() {
        byte[] nonce = challenged(LONG_MS);
        nonce[0] ^= 1;
        authenticate(nonce);
        assertRefused(Cause.UNKNOWN_KEY, "unknown on the server or does not match");
    }

    @Test
    void refusesProofForOtherServer() {
        byte[] nonce = challenged(LONG_MS);
        byte[] proof = SessionProof.ofClient(ServerAccess.of(Identity.create(), issued), nonce);
        say(new SessionMessage.Authenticate(issued.key().id(), proof, "fdt test"));
        assertRefused(Cause.UNKNOWN_KEY, "unknown on the server or does not match");
    }

    /** The answer is the same as for a client that names a known key but does not hold it. */
    @Test
    void unknownKeyGetsNoInformation() {
        byte[] nonce = challenged(LONG_MS);
        byte[] proof = SessionProof.ofClient(ServerAccess.of(identity, issued), nonce);
        say(new SessionMessage.Authenticate("0123456789abcdef", proof, "fdt test"));
        assertRefused(Cause.UNKNOWN_KEY, "unknown on the server or does not match");
    }

    @Test
    void refusesKeyRevokedAfterProof() {
        authenticate(challenged(LONG_MS));
        assertThat(keys.revoke(issued.key().id())).isTrue();
        Await.until("the server knows", () -> watch.known().isEmpty());
        say(REQUEST);
        assertRefused(Cause.REVOKED, "revoked");
    }

    /** It could still return to a session that it had before. */
    @Test
    void admitsNobodyWithAnExpiredKey() {
        issued = keys.create("old", Permission.READ_WRITE, Instant.EPOCH);
        Await.until("the server knows", () -> watch.known().size() == 2);
        authenticate(challenged(LONG_MS));
        assertThat(link.admitted).isFalse();
        assertRefused(Cause.EXPIRED, "expired");
    }

    @Test
    void reportsRefusalByGranter() {
        issued = keys.create("reader", Permission.READ_ONLY, null);
        Await.until("the server knows", () -> watch.known().size() == 2);
        authenticate(challenged(LONG_MS));
        say(REQUEST);
        assertRefused(Cause.REFUSED, "the key may not");
    }

    @Test
    void refusesUnknownSession() {
        authenticate(challenged(LONG_MS));
        say(new SessionMessage.Reattach(new byte[16], new byte[32], 0));
        assertRefused(Cause.NO_SESSION, "no longer exists");
    }

    /** Whoever has learnt the secret of a session needs its key, too, and the other way round. */
    @ParameterizedTest
    @CsvSource({"true, true, true", "false, true, false", "true, false, false"})
    void aClientReturnsWithTheKeyAndTheSecretOfItsSession(boolean key, boolean secret, boolean returns) {
        IssuedKey other = IssuedKey.of("other", Permission.READ_WRITE, null);
        try (SessionInSteps steps = new SessionInSteps(() -> 0, 1)) {
            Session session = open(steps, key ? issued.key() : other.key());
            byte[] nonce = challenged(LONG_MS);
            authenticate(nonce);
            say(reattach(session, secret ? session.secret() : Secret.random(), nonce));
            if (returns) {
                assertThat(link.messages).last().isInstanceOf(SessionMessage.Reattached.class);
                assertThat(refusals).isEmpty();
                assertThat(heldBytes()).as("the session has paid for a link").isZero();
                assertThat(timer.getQueue()).as("no deadline is left").isEmpty();
                say(REQUEST);
                steps.runPosted();
                assertThat(steps.heard()).as("the link is the session's now").containsExactly(REQUEST);
            } else {
                assertRefused(Cause.NO_SESSION, "belongs to another client");
            }
        }
    }

    /** The server that got the key may do nothing else with it, whatever the lender may do. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLentKeyLeadsToItsOwnSessionOnly(boolean own) {
        try (SessionInSteps steps = new SessionInSteps(() -> 0, 1)) {
            Session session = open(steps, issued.key());
            session.admittedBy(issued.key(), true);
            Delegation lent = delegations.give(session, TransferPlan.EMPTY, LONG_MS, 0);
            if (own) {
                lent.bind(session, Thread.currentThread());
            }
            byte[] nonce = challenged(LONG_MS);
            byte[] proof =
                    SessionProof.ofClient(new ServerAccess(identity.fingerprint(), lent.keyId(), lent.secret()), nonce);
            say(new SessionMessage.Authenticate(lent.keyId(), proof, "fdt test"));
            say(reattach(session, session.secret(), nonce));
            if (own) {
                assertThat(link.messages).last().isInstanceOf(SessionMessage.Reattached.class);
            } else {
                assertRefused(Cause.NO_SESSION, "belongs to another client");
            }
        }
    }

    private Session open(SessionInSteps steps, AccessKey key) {
        Session session = steps.session();
        sessions.add(new OpenSession(
                Thread::new,
                session,
                new LaneAdmission(session.secret(), session.id(), 1),
                () -> key,
                serving -> {},
                () -> {}));
        return session;
    }

    private static SessionMessage.Reattach reattach(Session session, Secret secret, byte[] nonce) {
        return new SessionMessage.Reattach(session.id(), SessionProof.ofReattachment(secret, session.id(), nonce), 0);
    }

    @Test
    void namesUseMemoryOfTheirKeyUntilLinkEnds() {
        authenticate(challenged(LONG_MS));
        List<RawPath> names = Collections.nCopies(1000, RawPath.ofText("n".repeat(100)));
        say(new TransferMessage.SourceNames(names));
        assertThat(refusals).isEmpty();
        assertThat(heldBytes()).isBetween(Handshake.LINK_BYTES + 180_000, Handshake.LINK_BYTES + 190_000);
        link.end();
        assertThat(heldBytes()).isZero();
    }

    @Test
    void refusesMoreNamesThanMemory() {
        authenticate(challenged(LONG_MS));
        List<RawPath> names = Collections.nCopies(1000, RawPath.ofText("n".repeat(100)));
        for (int i = 0; refusals.isEmpty(); i++) {
            assertThat(heldBytes()).isLessThanOrEqualTo(MEMORY_BYTES / 2);
            assertThat(i).isLessThan(40);
            say(new TransferMessage.SourceNames(names));
        }
        assertRefused(Cause.UNAVAILABLE, "Java heap");
        assertThat(reasons).containsExactly(Cause.UNAVAILABLE);
        assertGivenBackWithLink();
    }

    /** A client that does not read the answer keeps its link for a while. */
    private void assertGivenBackWithLink() {
        assertThat(heldBytes()).as("the link is still open").isPositive();
        link.end();
        assertThat(heldBytes()).isZero();
    }

    private long heldBytes() {
        return budgets.heldBy(issued.key().id(), Resource.HEAP);
    }

    /** On the wire such a name takes two bytes, and in memory as much more as any other. */
    @Test
    void shortNamesCountWithTheirOverhead() {
        authenticate(challenged(LONG_MS));
        List<RawPath> names = Collections.nCopies(10_000, RawPath.ofText("n"));
        say(new TransferMessage.SourceNames(names));
        assertThat(refusals).isEmpty();
        assertThat(heldBytes()).isGreaterThan(Handshake.LINK_BYTES + 80 * 10_000);
        say(new TransferMessage.SourceNames(Collections.nCopies(40_000, RawPath.ofText("n"))));
        assertRefused(Cause.UNAVAILABLE, "Java heap");
        assertThat(reasons).containsExactly(Cause.UNAVAILABLE);
    }

    @Test
    void closesAndReportsSilentClient() {
        challenged(1);
        Await.until("it is given up", () -> link.aborted != null);
        assertThat(refusals).containsExactly("connected but opened no session");
        assertThat(reasons).containsExactly(Cause.NO_ANSWER);
    }

    /** A link whose client has left its session. */
    private void goesOn() {
        ControlLink used = ControlLink.toClient(link);
        used.open(new MessageLink.Handler() {
            @Override
            public void onMessage(byte[] encoded) {}

            @Override
            public void onClosed(@Nullable TransferException cause) {}
        });
        used.pause();
        RefusalLimit reported = new RefusalLimit(new ServerObserver() {
            @Override
            public void onRefused(String peer, String why) {
                refusals.add(why);
            }
        });
        new Handshake(used, terms(reported, LONG_MS)).goOn(issued.key());
    }

    @Test
    void clientThatLeftItsSessionGetsAnotherOne() {
        goesOn();
        assertThat(heldBytes()).isEqualTo(Handshake.LINK_BYTES);
        awaitKeysRead();
        say(REQUEST);
        Await.until("the session is open", () -> events.contains("opened"));
        assertThat(events).containsExactly("granted OpenVerify", "opened");
        assertThat(link.messages).isEmpty();
        assertThat(timer.getQueue()).as("no deadline is left").isEmpty();
    }

    @Test
    void linkWithoutAnotherRequestIsClosedQuietly() {
        goesOn();
        Await.until("it has a deadline and goes on", () -> deadline() != null && !link.paused);
        ((Runnable) Objects.requireNonNull(deadline())).run();
        assertThat(link.closed).isTrue();
        link.end();
        assertThat(heldBytes()).isZero();
        assertThat(refusals).isEmpty();
        say(REQUEST);
        assertThat(events).isEmpty();
    }

    /** A changed key may still be valid, which only another handshake can show. */
    @Test
    void clientWithAnotherKeyThanBeforeGetsNoAnswer() {
        goesOn();
        assertThat(keys.revoke(issued.key().id())).isTrue();
        Await.until("the server knows", () -> watch.known().isEmpty());
        say(REQUEST);
        Await.until("the link is closed", () -> link.closed);
        assertThat(link.messages).isEmpty();
        assertThat(refusals).isEmpty();
        assertThat(events).isEmpty();
        assertThat(timer.getQueue()).as("no deadline is left").isEmpty();
        assertGivenBackWithLink();
    }

    private @Nullable Object deadline() {
        return timer.getQueue().stream()
                .filter(task -> ((Delayed) task).getDelay(TimeUnit.SECONDS) > 1)
                .findFirst()
                .orElse(null);
    }

    @Test
    void linkForWhichItsKeyHasNoRoomIsClosed() {
        Budget full = budgets.open(issued.key().id());
        full.take(Resource.HEAP, MEMORY_BYTES / 2);
        budgets.open("another").take(Resource.HEAP, MEMORY_BYTES / 2 - 1000);
        goesOn();
        assertThat(link.closed).isTrue();
        full.close();
        assertThat(heldBytes()).isZero();
    }

    /** Without a deadline nobody would ever close it. */
    @Test
    void closesALinkThatComesWhileTheServerCloses() {
        watch.close();
        timer.shutdownNow();
        handshake(new RefusalLimit(new ServerObserver() {}), LONG_MS).begin();
        assertThat(link.aborted).hasMessageContaining("the server was closed");
    }

    @Test
    void closesALinkWhoseKeysAreReadAfterTheServerWasClosed() {
        watch.close();
        CountDownLatch closed = new CountDownLatch(1);
        watch = new KeyWatch(keys, Issuers.NONE, new ServerObserver() {}, List::of, LONG_MS, Clock.SYSTEM, path -> {
            Await.until("the server is closed", closed);
            return new FileWatch(path);
        });
        handshake(new RefusalLimit(new ServerObserver() {}), LONG_MS).begin();
        timer.shutdownNow();
        closed.countDown();
        Await.until("the link is closed", () -> link.aborted != null);
        assertThat(link.messages).isEmpty();
    }

    /** Its names may take several pages. */
    @Test
    void aClientWithAKeyHasMoreTimeForItsRequest() {
        authenticate(challenged(LONG_MS));
        assertThat(timer.getQueue().stream()
                        .map(task -> ((Delayed) task).getDelay(TimeUnit.MILLISECONDS))
                        .filter(delayMs -> delayMs > LONG_MS / 2))
                .singleElement()
                .satisfies(delayMs -> assertThat(delayMs).isBetween(5 * LONG_MS, 6 * LONG_MS));
    }

    @Test
    void refusesMoreConnectionsThanAKeyMayHave() {
        budgets = new Budgets(Map.of(Resource.HEAP, MEMORY_BYTES, Resource.CONNECTIONS, 0L), () -> false);
        authenticate(challenged(LONG_MS));
        assertRefused(Cause.UNAVAILABLE, "--max-connections");
        assertThat(link.admitted).isFalse();
    }

    /** Its rights are those of that user, which this process does not have. */
    @Test
    void aClientOfAnAccountIsSentToThatProcess() {
        byte[] route = {8, 7, 6, 5, 4, 3, 2, 1};
        processes = new AccountProcesses() {
            @Override
            public boolean isOwn(String user) {
                return false;
            }

            @Override
            public void find(AccessKey key, String token, Consumer<byte[]> found, Consumer<TransferException> failed) {
                assertThat(key).isEqualTo(issued.key());
                // What the client asks for meanwhile is for the other process.
                say(REQUEST);
                found.accept(route);
            }
        };
        Set<Right> rights = Permission.READ_WRITE.rights();
        issued = keys.create("of ann", new Permission(rights, false, List.of(), KeyLimits.NONE, "ann"), null);
        Await.until("the server knows", () -> watch.known().size() == 2);
        authenticate(challenged(LONG_MS));
        assertThat(link.messages)
                .last()
                .isInstanceOfSatisfying(
                        SessionMessage.Elsewhere.class,
                        elsewhere -> assertThat(elsewhere.route()).isEqualTo(route));
        assertThat(link.closed).isTrue();
        assertThat(events).isEmpty();
        assertThat(refusals).isEmpty();
        assertThat(timer.getQueue()).as("no deadline is left").isEmpty();
    }

    /** Only the process that has lent a key can check its proof. */
    @Test
    void sendsAClientOfALentKeyToTheProcessThatLentIt() {
        byte[] route = {1, 2, 3, 4, 5, 6, 7, 8};
        processes = new AccountProcesses() {
            @Override
            public byte[] lender(String keyId) {
                assertThat(keyId).isEqualTo("0123456789abcdef");
                return route;
            }
        };
        challenged(LONG_MS);
        say(new SessionMessage.Authenticate("0123456789abcdef", new byte[32], "fdt test"));
        assertThat(link.messages)
                .last()
                .isInstanceOfSatisfying(
                        SessionMessage.Elsewhere.class,
                        elsewhere -> assertThat(elsewhere.route()).isEqualTo(route));
        assertThat(link.closed).isTrue();
        assertThat(refusals).isEmpty();
    }

    @Test
    void admitsNobodyBeforeItsKeysAreRead() {
        watch.close();
        CountDownLatch over = new CountDownLatch(1);
        watch = new KeyWatch(keys, Issuers.NONE, new ServerObserver() {}, List::of, LONG_MS, Clock.SYSTEM, path -> {
            Await.until("the test is over", over);
            return new FileWatch(path);
        });
        try {
            challengedAtOnce(LONG_MS);
            say(new SessionMessage.Authenticate("0123456789abcdef", new byte[32], "fdt test"));
            assertRefused(Cause.UNAVAILABLE, "the server cannot read its keys");
        } finally {
            over.countDown();
        }
    }

    /** Its sessions go on meanwhile, since nobody has revoked a key. */
    @Test
    void opensNothingWhileTheFileOfKeysIsGone() throws IOException {
        watch.close();
        AtomicInteger looks = new AtomicInteger();
        watch = new KeyWatch(
                keys,
                Issuers.NONE,
                new ServerObserver() {},
                List::of,
                LONG_MS,
                () -> {
                    looks.incrementAndGet();
                    // Time stands still, so that the file is gone for a moment only.
                    return 0;
                },
                FileWatch::new);
        Await.until("the keys are known", () -> watch.known().size() == 1);
        Files.move(home.resolve("keys"), home.resolve("keys~"));
        Await.until("a look without the file", () -> looks.get() > 0);
        byte[] nonce = challengedAtOnce(LONG_MS);
        authenticate(nonce);
        assertThat(link.admitted).isTrue();
        say(REQUEST);
        assertRefused(Cause.UNAVAILABLE, "the server cannot read its keys");
    }
}
