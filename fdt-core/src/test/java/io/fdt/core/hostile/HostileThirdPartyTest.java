package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Fdt;
import io.fdt.core.FreePort;
import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between two servers in which one of the three participants breaks the rules. */
class HostileThirdPartyTest {
    /** Where the end of this time is waited for: long enough for what comes before it on a busy machine. */
    private static final long TIMEOUT_MS = 10_000;

    /**
     * For a client whose peers fall silent. A peer that takes this long for a step of the handshake has lost the
     * client, and waits for it in vain.
     */
    private static final long SILENCE_MS = 15_000;

    @TempDir
    Path directory;

    private final Queue<Summary> ended = new ConcurrentLinkedQueue<>();
    private final Queue<String> operator = new ConcurrentLinkedQueue<>();
    private Path sourceRoot;
    private Path targetRoot;
    private Serving source;
    private TestServer target;
    private ServerAccess toSource;
    private ServerAccess toTarget;

    @BeforeEach
    void start() throws Exception {
        sourceRoot = Files.createDirectory(directory.resolve("source"));
        targetRoot = Files.createDirectory(directory.resolve("target"));
        Files.writeString(sourceRoot.resolve("f"), "hello");
        source = Fdt.at(directory.resolve("home-a"))
                .serve(ServerSettings.of(sourceRoot).copyingTo("127.0.0.0/8"), new ServerObserver() {
                    @Override
                    public void onSessionEnd(String session, String peer, String key, Summary summary) {
                        ended.add(summary);
                    }

                    @Override
                    public void onWarning(String text) {
                        operator.add(text);
                    }
                });
        target = new TestServer(directory.resolve("home-b"), targetRoot);
        toSource = access("home-a");
        toTarget = access("home-b");
    }

    @AfterEach
    void stop() {
        source.close();
        target.close();
    }

    private ServerAccess access(String home) {
        IssuedKey key = new KeyStore(directory.resolve(home)).defaultKey();
        return ServerAccess.of(Identity.loadOrCreate(directory.resolve(home)), Objects.requireNonNull(key));
    }

    private static TransferPlan request(String path) {
        return request(path, Await.LIMIT_MS);
    }

    private static TransferPlan request(String path, long timeoutMs) {
        return TestPlan.push("x", path).timeoutMs(timeoutMs).at(1).request().forServer();
    }

    private static ThirdPartyMessage.OpenThirdParty thirdParty(
            int port, Fingerprint fingerprint, String keyId, byte[] secret) {
        return thirdParty(port, fingerprint, keyId, secret, ThirdPartyMessage.ATTACHED);
    }

    private static ThirdPartyMessage.OpenThirdParty thirdParty(
            int port, Fingerprint fingerprint, String keyId, byte[] secret, long retryMs) {
        TransferPlan there = request("/in", TIMEOUT_MS).with(CopyValue.SOURCES, List.of(RawPath.ofText("/f")));
        return new ThirdPartyMessage.OpenThirdParty(
                there,
                new ThirdPartyMessage.Target("127.0.0.1", port, fingerprint.bytes(), keyId, secret),
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                retryMs,
                null);
    }

    private static <T> T required(T value) {
        return Objects.requireNonNull(value);
    }

    /** A delegation of the honest target, held by a client that sends nothing more. */
    private record Lent(RawLink link, ThirdPartyMessage.Delegated key) {}

    private Lent lend(HostileClient giver) throws InterruptedException {
        return lend(giver, Await.LIMIT_MS);
    }

    private Lent lend(HostileClient giver, long timeoutMs) throws InterruptedException {
        RawLink link = giver.open(
                        new ThirdPartyMessage.OpenDelegation(request("/in", timeoutMs), ThirdPartyMessage.ATTACHED))
                .link();
        return new Lent(link, required(link.next(ThirdPartyMessage.Delegated.class)));
    }

    private ServerAccess bearer(ThirdPartyMessage.Delegated lent) {
        return new ServerAccess(toTarget.fingerprint(), lent.keyId(), Secret.ofBytes(lent.secret()));
    }

    /** A lent key allows its bearer only the one push that it was lent for, and only once. */
    @Test
    void lentKeyOpensOnlyItsOnePush() throws Exception {
        try (HostileClient giver = new HostileClient(target.address(), toTarget)) {
            for (ControlMessage other : List.of(
                    HostileClient.pull("/"),
                    new OpenTransfer(request("/elsewhere")),
                    new ThirdPartyMessage.OpenDelegation(request("/in"), ThirdPartyMessage.ATTACHED),
                    thirdParty(1, toTarget.fingerprint(), "k", new byte[32]))) {
                Lent lent = lend(giver);
                try (HostileClient bearer = new HostileClient(target.address(), bearer(lent.key()))) {
                    assertRefused(bearer, other, "valid only for the push");
                    assertRefused(bearer, new OpenTransfer(request("/in")), "already used");
                }
                lent.link().close();
            }
            Lent lent = lend(giver);
            try (HostileClient bearer = new HostileClient(target.address(), bearer(lent.key()))) {
                HostileClient.Opened first = bearer.open(new OpenTransfer(request("/in")));
                assertRefused(bearer, new OpenTransfer(request("/in")), "already used");
                assertThat(first.link().isClosed()).as("the first one lives on").isFalse();

                // When the giver leaves, its key becomes invalid.
                lent.link().send(new SessionMessage.Leaving());
                lent.link().close();
                first.link().awaitClose();
                assertRefused(bearer, new OpenTransfer(request("/in")), "unknown");
            }
        }
        assertThat(targetRoot).isEmptyDirectory();
    }

    /** The target's server limits the bearer to the sources that the giver named. */
    @Test
    void aLentKeyTakesOnlyWhatItsGiverNamed() throws Exception {
        Files.writeString(targetRoot.resolve("canary"), "canary");
        TransferPlan named = TransferPlan.from(List.of(RawPath.ofText("/data/run7")))
                .with(CopyValue.NAMES, List.of(RawPath.ofText("d/f")));
        TransferPlan whole = TransferPlan.from(List.of(RawPath.ofText("/data/run7")));
        try (HostileClient giver = new HostileClient(target.address(), toTarget)) {
            for (TransferPlan selection : List.of(named, whole)) {
                RawLink held = giver.authenticated();
                for (TransferMessage.SourceNames names : NamesAhead.pages(selection.find(CopyValue.NAMES))) {
                    held.send(names);
                }
                TransferPlan request = request("/");
                held.send(new ThirdPartyMessage.OpenDelegation(
                        request.with(CopyValue.SOURCES, selection.sources())
                                .with(CopyValue.NAMES, selection.find(CopyValue.NAMES) == null ? null : List.of()),
                        ThirdPartyMessage.ATTACHED));
                ThirdPartyMessage.Delegated key = required(held.next(ThirdPartyMessage.Delegated.class));
                try (HostileClient bearer = new HostileClient(target.address(), bearer(key));
                        TransferJob beside = honestCopy()) {
                    RawLink link = bearer.open(new OpenTransfer(request)).link();
                    link.send(new TransferMessage.SourceShape(false));
                    link.send(new TransferMessage.ManifestPage(0, List.of(Frames.file("canary", 1))));
                    SessionMessage.Failed failed = required(link.next(SessionMessage.Failed.class));
                    assertThat(failed.why().exitCode()).isEqualTo(FailureKind.REFUSED.exitCode());
                    assertThat(failed.why().path()).isEqualTo("canary");
                    assertThat(beside.await().failure()).isNull();
                }
                held.close();
            }
        }
        assertThat(targetRoot.resolve("canary")).hasContent("canary");
        assertThat(targetRoot.resolve("in")).hasContent("hello");
    }

    private TransferJob honestCopy() {
        Path home = directory.resolve("home-honest");
        KnownServers known = new KnownServers(home);
        known.remember("127.0.0.1:" + source.address().getPort(), toSource);
        known.remember("127.0.0.1:" + target.port(), toTarget);
        return Fdt.at(home)
                .copyBetween(
                        "127.0.0.1",
                        source.address().getPort(),
                        TestPlan.push("/f", "/in").timeoutMs(Await.LIMIT_MS).at(target.port()),
                        TransferObserver.NONE);
    }

    private static void assertRefused(HostileClient client, ControlMessage request, String why)
            throws InterruptedException {
        RawLink link = client.authenticated();
        link.send(request);
        SessionMessage.Failed failed = required(link.next(SessionMessage.Failed.class));
        assertThat(failed.why().exitCode()).isEqualTo(FailureKind.REFUSED.exitCode());
        assertThat(failed.why().text()).contains(why);
        link.awaitClose();
    }

    /**
     * Nothing listens, another program listens, or another server listens: the client gets the same answer. Only the
     * operator gets the details.
     */
    @Test
    void refusalDoesNotRevealWhatListensAtAnAddress() throws Exception {
        Set<String> answers = new HashSet<>();
        Set<Integer> codes = new HashSet<>();
        try (HostileClient client = new HostileClient(source.address(), toSource);
                ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket nobody = FreePort.withoutListener();
                TestServer other = new TestServer(directory.resolve("home-c"), targetRoot)) {
            for (int port : List.of(nobody.getLocalPort(), mute.getLocalPort(), other.port())) {
                RawLink link = client.open(thirdParty(port, toTarget.fingerprint(), "k", new byte[32]))
                        .link();
                Summary end = endOf(link);
                answers.add(Objects.requireNonNull(end.failure()).detail());
                codes.add(end.exitCode());
                link.close();
            }
        }
        assertThat(codes).containsExactly(FailureKind.CANNOT_CONNECT.exitCode());
        assertThat(answers).containsExactly("the source's server has no connection to the target's server");
        assertThat(operator).hasSize(3);
    }

    /** Waits for the end of a third-party copy, and sends heartbeats as a live client does. */
    private static Summary endOf(RawLink link) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Await.LIMIT_SECONDS);
        boolean closed = false;
        while (System.nanoTime() < deadline && !closed) {
            // What came before the end of the link is still there after it.
            closed = link.isClosed();
            if (link.poll(100) instanceof ThirdPartyMessage.ThirdPartyEnded end) {
                return end.summary();
            }
            link.send(new SessionMessage.Heartbeat(0));
        }
        throw new AssertionError("no end was told");
    }

    /** A client dies without notice: its copy ends within its own timeout, and its key becomes invalid. */
    @Test
    void copyEndsWhenItsClientIsSilent() throws Exception {
        try (HostileClient giver = new HostileClient(target.address(), toTarget);
                HostileClient client = new HostileClient(source.address(), toSource)) {
            Lent lent = lend(giver, TIMEOUT_MS);
            TransferPlan zeros = TestPlan.zeros(600)
                    .rate(8_000_000)
                    .timeoutMs(TIMEOUT_MS)
                    .at(1)
                    .request();
            RawLink held = giver.open(
                            new ThirdPartyMessage.OpenDelegation(zeros.forServer(), ThirdPartyMessage.ATTACHED))
                    .link();
            ThirdPartyMessage.Delegated key = required(held.next(ThirdPartyMessage.Delegated.class));
            RawLink link = client.open(new ThirdPartyMessage.OpenThirdParty(
                            zeros,
                            new ThirdPartyMessage.Target(
                                    "127.0.0.1",
                                    target.port(),
                                    toTarget.fingerprint().bytes(),
                                    key.keyId(),
                                    key.secret()),
                            Long.MAX_VALUE,
                            Long.MAX_VALUE,
                            ThirdPartyMessage.ATTACHED,
                            null))
                    .link();
            required(link.next(ThirdPartyMessage.ThirdPartyStarted.class));
            // Neither client sends heartbeats, and the client of a third-party copy has no lanes either.
            Await.until("the copy has ended", () -> ended.size() == 1);
            Await.until("two delegations and the push have ended", () -> target.ended.size() == 3);
            assertThat(lent.key().keyId()).isNotEqualTo(key.keyId());
        }
    }

    private TransferJob follow(int sourcePort, Identity sourceIdentity, int targetPort, Identity targetIdentity) {
        return follow(sourcePort, sourceIdentity, targetPort, targetIdentity, null);
    }

    private TransferJob follow(
            int sourcePort, Identity sourceIdentity, int targetPort, Identity targetIdentity, @Nullable Path receipt) {
        TestPlan plan = TestPlan.push("/f", "/in").timeoutMs(SILENCE_MS);
        Path home = directory.resolve("home-me");
        remember(home, sourcePort, sourceIdentity);
        remember(home, targetPort, targetIdentity);
        return Fdt.at(home)
                .copyBetween(
                        "127.0.0.1",
                        sourcePort,
                        (receipt == null ? plan : plan.receipt(receipt)).at(targetPort),
                        TransferObserver.NONE);
    }

    private static void remember(Path home, int port, Identity identity) {
        IssuedKey key = IssuedKey.of("k", Permission.ALL, null);
        new KnownServers(home).remember("127.0.0.1:" + port, ServerAccess.of(identity, key));
    }

    /** As many as a key may have; those that are detached go on without their client until its key is revoked. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thirdPartyCopiesToATargetThatDoesNotAnswerLeaveRoomForOthers(boolean detached) throws Exception {
        IssuedKey key = new KeyStore(directory.resolve("home-a")).create("greedy", Permission.ALL, null);
        ServerAccess greedy = ServerAccess.of(Identity.loadOrCreate(directory.resolve("home-a")), key);
        try (ServerSocket mute = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
                HostileClient client = new HostileClient(source.address(), greedy)) {
            List<RawLink> links = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                RawLink link = client.authenticated();
                link.send(thirdParty(
                        mute.getLocalPort(),
                        toTarget.fingerprint(),
                        "k",
                        new byte[32],
                        detached ? 3_600_000 : ThirdPartyMessage.ATTACHED));
                if (link.next(SessionMessage.Opened.class) != null) {
                    links.add(link);
                }
            }
            assertThat(links).hasSizeGreaterThan(1);
            try (TransferJob beside = honestCopy()) {
                assertThat(beside.await().failure()).isNull();
            }
            assertThat(targetRoot.resolve("in")).hasContent("hello");
            links.forEach(link -> link.abort(Cause.CONNECTION_LOST.failure("gone")));
            if (detached) {
                assertThat(new KeyStore(directory.resolve("home-a")).revoke("greedy"))
                        .isTrue();
            }
            Await.until(
                    "all of them have ended",
                    () -> ended.stream().filter(each -> each.failure() != null).count() >= links.size());
        }
    }

    /** Its copies go on without a client, and only such a session can end them. */
    @Test
    void aKeyWhoseSessionsAreAllDetachedCopiesListsAndCancelsThem() throws Exception {
        KeyLimits limits = new KeyLimits(0, Long.MAX_VALUE, 2);
        IssuedKey key = new KeyStore(directory.resolve("home-a"))
                .create("few", new Permission(Permission.ALL.rights(), true, List.of(), limits), null);
        ServerAccess few = ServerAccess.of(Identity.loadOrCreate(directory.resolve("home-a")), key);
        try (ServerSocket mute = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
                HostileClient client = new HostileClient(source.address(), few)) {
            for (int i = 0; i < 2; i++) {
                HostileClient.Opened open = client.open(
                        thirdParty(mute.getLocalPort(), toTarget.fingerprint(), "k", new byte[32], 3_600_000));
                open.link().abort(Cause.CONNECTION_LOST.failure("gone"));
            }
            List<JobReport> jobs = jobs(client, JobsPlan.Action.LIST, "");
            assertThat(jobs).hasSize(2);
            for (JobReport job : jobs) {
                assertThat(jobs(client, JobsPlan.Action.CANCEL, job.id()))
                        .singleElement()
                        .satisfies(end -> assertThat(end.end()).isNotNull());
            }
        }
    }

    private static List<JobReport> jobs(HostileClient client, JobsPlan.Action action, String job)
            throws InterruptedException {
        RawLink link;
        do {
            // The session before it may not have ended yet.
            link = client.authenticated();
            link.send(new ThirdPartyMessage.OpenJobs(600_000, action, job, false));
        } while (link.next(SessionMessage.Opened.class) == null);
        ThirdPartyMessage.JobPage page = HostileClient.required(link.next(ThirdPartyMessage.JobPage.class));
        link.leave();
        return page.jobs();
    }

    /** A source that sends invalid messages, too many, or none any more: the client ends, and in time. */
    @Test
    void aHostileSourceDoesNotHurtItsClient() throws Exception {
        Identity identity = Identity.create();
        ThirdPartyMessage.FileReport told = new ThirdPartyMessage.FileReport(
                "\u001b[2J" + "x".repeat(3000),
                ThirdPartyMessage.FileEnd.FAILED,
                1,
                Map.of(),
                Failure.of(Cause.ofExitCode(5), "\u202egnp"));
        List<List<ControlMessage>> sayings = new ArrayList<>();
        sayings.add(List.of(new TransferMessage.LanesBusy(new int[] {0})));
        sayings.add(List.of(new ThirdPartyMessage.Delegated("k", new byte[32], new byte[32])));
        sayings.add(List.of(new SessionMessage.Failed(Failure.of(Cause.ofExitCode(7), "no"))));
        sayings.add(List.of(
                new ThirdPartyMessage.ThirdPartyStarted("s", 1, "t", "p"),
                new ThirdPartyMessage.ThirdPartyStarted("s", 1, "t", "p")));
        List<ControlMessage> failures = Collections.nCopies(
                200, new ThirdPartyMessage.ThirdPartyFiles(Collections.nCopies(Bounds.MAX_TOLD_FILES, told)));
        sayings.add(failures);
        sayings.add(List.of());
        try (HostileServer hostile = new HostileServer(identity);
                HostileServer lender = new HostileServer(identity)) {
            for (List<ControlMessage> saying : sayings) {
                try (TransferJob copy = follow(hostile.port(), identity, lender.port(), identity)) {
                    RawLink lending = lender.open(ThirdPartyMessage.OpenDelegation.class, 0, false);
                    lending.send(new ThirdPartyMessage.Delegated("0123456789abcdef", new byte[32], new byte[32]));
                    RawLink link = hostile.open(ThirdPartyMessage.OpenThirdParty.class, 0, false);
                    saying.forEach(link::send);
                    Summary summary = copy.await();
                    assertThat(summary.kind())
                            .isIn(FailureKind.CONNECTION_LOST, FailureKind.REFUSED, FailureKind.VERSION);
                    assertThat(summary.files().firstFailed()).hasSize(saying == failures ? 1000 : 0);
                    assertThat(summary.files().firstFailed())
                            .allMatch(file -> file.path().startsWith("\\u{1B}[2J")
                                    && file.failure().detail().equals("\\u{202E}gnp"));
                    link.close();
                    lending.close();
                }
            }
        }
    }

    /** Neither before the copy nor in parts without an end. */
    @Test
    void aHostileSourceCannotFillTheDiskOfItsClientWithAReceipt() throws Exception {
        Identity identity = Identity.create();
        Path receipt = Files.writeString(directory.resolve("receipt.json"), "of another copy");
        ThirdPartyMessage.ThirdPartyStarted start = new ThirdPartyMessage.ThirdPartyStarted("s", 1, "t", "p");
        ThirdPartyMessage.ThirdPartyReceipt part = new ThirdPartyMessage.ThirdPartyReceipt(new byte[] {'{'}, 1);
        try (HostileServer hostile = new HostileServer(identity);
                HostileServer lender = new HostileServer(identity)) {
            for (List<ControlMessage> saying :
                    List.<List<ControlMessage>>of(List.of(part), List.of(start, part, part))) {
                try (TransferJob copy = follow(hostile.port(), identity, lender.port(), identity, receipt)) {
                    RawLink lending = lender.open(ThirdPartyMessage.OpenDelegation.class, 0, false);
                    lending.send(new ThirdPartyMessage.Delegated("0123456789abcdef", new byte[32], new byte[32]));
                    RawLink link = hostile.open(ThirdPartyMessage.OpenThirdParty.class, 0, false);
                    saying.forEach(link::send);
                    assertThat(copy.await().message()).contains("out of turn");
                    link.close();
                    lending.close();
                }
                assertThat(receipt).hasContent("of another copy");
            }
        }
    }

    @Test
    void aHostileTargetDoesNotHurtItsClient() throws Exception {
        Identity identity = Identity.create();
        ThirdPartyMessage.Delegated lent =
                new ThirdPartyMessage.Delegated("0123456789abcdef", new byte[32], new byte[32]);
        try (HostileServer lender = new HostileServer(identity)) {
            for (List<ControlMessage> saying : List.<List<ControlMessage>>of(
                    List.of(new SessionMessage.Failed(Failure.of(Cause.ofExitCode(5), "no"))),
                    List.of(new SessionMessage.Warning("hm")),
                    List.of(lent, lent),
                    List.of())) {
                try (TransferJob copy = follow(
                        source.address().getPort(),
                        Identity.loadOrCreate(directory.resolve("home-a")),
                        lender.port(),
                        identity)) {
                    RawLink lending = lender.open(ThirdPartyMessage.OpenDelegation.class, 0, false);
                    saying.forEach(lending::send);
                    assertThat(copy.await().kind())
                            .isIn(
                                    FailureKind.CONNECTION_LOST,
                                    FailureKind.TARGET,
                                    FailureKind.REFUSED,
                                    FailureKind.VERSION);
                    lending.close();
                }
            }
        }
    }
}
