package io.fdt.core.hostile;

import static io.fdt.core.stats.LaneObserver.LaneChange.LOST;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Plans;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ControlMessages;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client with a key takes everything that a server grants, and disappears. The server still serves an honest client.
 */
class GreedySessionTest {
    /** Longer than any test takes. */
    private static final int LONG_MS = 600_000;

    @TempDir
    Path directory;

    private Path home;
    private Path root;
    private TestServer server;
    private HostileClient greedy;

    @BeforeEach
    void makeRoot() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        Files.writeString(root.resolve("data"), "data");
        Files.writeString(directory.resolve("honest"), "hello");
    }

    private void serve(ServerLimits limits) {
        serve(limits, TcpSettings.DEFAULTS);
    }

    private void serve(ServerLimits limits, TcpSettings network) {
        server = new TestServer(home, network, limits, TransferLimits.SERVER_DEFAULT, root);
        IssuedKey key = new KeyStore(home).create("greedy", Permission.READ_WRITE, null);
        greedy = new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), key));
    }

    @AfterEach
    void stop() {
        greedy.close();
        server.close();
    }

    private Summary honestCopy() {
        try {
            return server.run(TestPlan.push(directory.resolve("honest"), "/honest"));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void reopeningALaneNumberClosesTheOlderLane() throws Exception {
        serve(ServerLimits.DEFAULT);
        HostileClient.Opened open = greedy.open(HostileClient.push("/in/"));
        List<RawLane> lanes = new ArrayList<>();
        for (int attempt : new int[] {0, 1, 2, 3, 4, 5, 6, 7, Integer.MAX_VALUE - 1}) {
            lanes.add(greedy.lane(open.session(), 0, attempt, HostileClient.proof(open.session(), 0, attempt), false));
            List<RawLane> older = lanes.subList(0, lanes.size() - 1);
            Await.until("the older lanes have ended", () -> older.stream().allMatch(RawLane::isClosed));
        }
        assertThat(lanes.get(lanes.size() - 1).isClosed()).isFalse();
        assertThat(honestCopy().failure()).isNull();
        open.link().close();
    }

    @Test
    void aKeyDoesNotTakeEverySession() throws Exception {
        serve(ServerLimits.builder().sessions(4).build());
        int opened = 0;
        for (int i = 0; i < 4; i++) {
            RawLink link = greedy.authenticated();
            link.send(HostileClient.push("/in/"));
            opened += link.next(SessionMessage.Opened.class) == null ? 0 : 1;
        }
        assertThat(opened).isEqualTo(2);
        assertThat(honestCopy().failure()).isNull();
    }

    /** Copies, verifications, listings, operations, network tests and delegations: each is a session of the key. */
    @Test
    void theSessionsOfAKeyLimitWhateverItRequests() throws Exception {
        serve(ServerLimits.DEFAULT);
        KeyLimits one = new KeyLimits(0, Long.MAX_VALUE, 1);
        IssuedKey key = new KeyStore(home)
                .create("single", new Permission(Permission.ALL.rights(), true, List.of(), one), null);
        TransferPlan push = HostileClient.push("/in/").request();
        List<ControlMessage> requests = List.of(
                HostileClient.push("/in/"),
                HostileClient.pull("/data"),
                new VerifyMessage.OpenVerify(RawPath.ofText("/data"), FileHash.MD5, false, false, true, 1, LONG_MS),
                new VerifyMessage.OpenList(RawPath.ofText("/"), false, false, LONG_MS, null),
                new FileMessage.OpenFiles(LONG_MS, null),
                new ThirdPartyMessage.OpenDelegation(push, ThirdPartyMessage.ATTACHED),
                new ThirdPartyMessage.OpenJobs(LONG_MS, JobsPlan.Action.LIST, "", false),
                networkTest().request());
        try (HostileClient client =
                new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), key))) {
            HostileClient.Opened first = client.open(HostileClient.push("/first/"));
            for (ControlMessage request : requests) {
                RawLink link = client.authenticated();
                link.send(request);
                SessionMessage.Failed refused = link.next(SessionMessage.Failed.class);
                assertThat(refused).as("%s", request).isNotNull();
                assertThat(refused.why().text())
                        .as("%s", request)
                        .contains("this key already has as many sessions as it may: 1");
            }
            assertThat(first.link().isClosed()).isFalse();
        }
        Set<Class<?>> requested = requests.stream().map(Object::getClass).collect(Collectors.toSet());
        // A third-party copy is refused before, because this server connects to no other.
        assertThat(ControlMessages.everyMessage()
                        .map(Object::getClass)
                        .filter(type -> type.getSimpleName().startsWith("Open")))
                .hasSizeGreaterThan(requests.size())
                .allMatch(type -> requested.contains(type)
                        || type == SessionMessage.Opened.class
                        || type == ThirdPartyMessage.OpenThirdParty.class);
    }

    private static NettestPlan networkTest() {
        return Plans.throughput(
                new NettestPath("server", 1, false, List.of(), LONG_MS),
                1,
                NettestPlan.Direction.OUT,
                LONG_MS,
                1 << 20,
                NettestPlan.Receive.COPY);
    }

    @Test
    void aKeyDoesNotTakeAllMemory() throws Exception {
        serve(ServerLimits.builder().memory(4 << 20, 1 << 20).build());
        for (int i = 0; i < 3; i++) {
            assertThat(isOpened(HostileClient.push("/in/"))).as("session %d", i).isEqualTo(i == 0);
        }
        Summary honest = honestCopy();
        assertThat(honest.failure()).as("%s", honest).isNull();
    }

    @Test
    void theSessionThatWasDisconnectedLongestMakesRoom() throws Exception {
        serve(ServerLimits.builder().sessions(4).build());
        HostileClient.Opened first = greedy.open(HostileClient.push("/first/"));
        HostileClient.Opened second = greedy.open(HostileClient.push("/second/"));
        first.link().abort(Cause.CONNECTION_LOST.failure("cut"));

        Await.until("the same key gets another session", () -> isOpened(HostileClient.push("/third/")));

        Await.until("the first has ended", () -> server.ended.size() == 1);
        assertThat(server.ended.element().message()).contains("disconnected");
        assertThat(second.link().isClosed()).isFalse();
        assertThat(honestCopy().failure()).isNull();
    }

    @Test
    void sessionThatMovesNothingEndsDespiteHeartbeats() throws Exception {
        serve(ServerLimits.builder().idleMs(300).build());
        RawLink link;
        do {
            // On a busy machine its time may be over before its client has it.
            link = greedy.authenticated();
            link.send(HostileClient.push("/in/"));
        } while (link.next(SessionMessage.Opened.class) == null);
        RawLink opened = link;
        Await.until("the session has ended", () -> {
            opened.send(new SessionMessage.Heartbeat(0));
            return opened.isClosed() && server.ended.size() == server.started.size();
        });
        assertThat(server.ended)
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.message()).contains("nothing was moved"));
    }

    /** Without a session, a link would cost its holder nothing. */
    @Test
    void linksWithoutASessionLeaveRoomForOtherKeys() throws Exception {
        // No link ends by its deadline before it is counted.
        serve(ServerLimits.builder().handshakeMs(LONG_MS).build(), TcpSettings.DEFAULTS.withLimits(64, 32, LONG_MS));
        List<RawLink> links = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            try {
                RawLink link = greedy.authenticated();
                link.send(new TransferMessage.SourceNames(List.of(RawPath.ofText("n"))));
                links.add(link);
            } catch (TransferException | AssertionError full) {
                // As many as there are.
            }
        }
        Await.until(
                "the server has refused those beyond the key's share",
                () -> links.stream().filter(link -> !link.isClosed()).count() <= 16);
        assertThat(links).anyMatch(link -> !link.isClosed());
        assertThat(honestCopy().failure()).isNull();
    }

    /** The first lane ends, and with it the test. The memory of a second one that joined would not be charged. */
    @Test
    void aLaneOfANetworkTestIsOpenedOnce() throws Exception {
        serve(ServerLimits.DEFAULT);
        AtomicInteger joined = new AtomicInteger();
        server.whenOpened =
                session -> session.watchLanes((change, lane, detail) -> joined.addAndGet(change == LOST ? 0 : 1));
        HostileClient.Opened open = greedy.open(networkTest().request());
        RawLane first = greedy.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        Await.until("the first has joined", () -> joined.get() == 1);
        List<RawLane> more = new ArrayList<>();
        for (int attempt = 1; attempt < 8; attempt++) {
            more.add(greedy.lane(open.session(), 0, attempt, HostileClient.proof(open.session(), 0, attempt), false));
        }
        Await.until("the other attempts have ended", () -> more.stream().allMatch(RawLane::isClosed));
        Await.until("the test has ended", () -> server.ended.size() == 1);
        assertThat(server.ended.element().message()).contains("a newer lane replaced it");
        assertThat(joined).hasValue(1);
        assertThat(honestCopy().failure()).isNull();
        first.close();
        open.link().close();
    }

    /** Each may hold what the one before it held, and nothing of any is left. */
    @Test
    void sessionsOneAfterTheOtherOnALinkLeaveNothing() throws Exception {
        serve(ServerLimits.builder().sessions(32).build());
        List<ControlMessage> requests = List.of(
                HostileClient.push("/in/"),
                HostileClient.pull("/data"),
                new VerifyMessage.OpenVerify(RawPath.ofText("/data"), FileHash.MD5, false, false, true, 1, LONG_MS),
                new VerifyMessage.OpenList(RawPath.ofText("/"), false, false, LONG_MS, null),
                new FileMessage.OpenFiles(LONG_MS, null),
                new ThirdPartyMessage.OpenJobs(LONG_MS, JobsPlan.Action.LIST, "", false));
        RawLink link = greedy.authenticated();
        for (int i = 0; i < 120; i++) {
            ControlMessage request = requests.get(i % requests.size());
            link.send(request);
            if (link.next(SessionMessage.Opened.class) == null) {
                // The server has closed the link after the session before, which it did not complete.
                link = greedy.authenticated();
                link.send(request);
                HostileClient.required(link.next(SessionMessage.Opened.class));
            }
            link.send(new SessionMessage.Leaving());
            link.next(SessionMessage.Leaving.class);
        }
        assertThat(honestCopy().failure()).isNull();
        Await.until("all have ended", () -> server.ended.size() == 121);
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.matches("fdt-(session|hash|walk|operation|verify).*")))
                .isEmpty();
        link.close();
    }

    private boolean isOpened(ControlMessage request) {
        try {
            RawLink link = greedy.authenticated();
            link.send(request);
            return link.next(SessionMessage.Opened.class) != null;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Pulls only read, so they do not exclude each other. */
    @Test
    void identicalPullsDoNotWaitForOneAnother() throws Exception {
        serve(ServerLimits.builder().sessions(100).build());
        for (int i = 0; i < 24; i++) {
            greedy.open(HostileClient.pull("/data"));
        }
        assertThat(honestCopy().failure()).isNull();
    }

    /** A pipe replaces the file of keys, so every read of it blocks. */
    @Test
    void unreadableKeyFileStopsNoRunningSession() throws Exception {
        serve(ServerLimits.DEFAULT);
        HostileClient.Opened cut = greedy.open(HostileClient.push("/cut/"));
        try (TransferJob running =
                server.start(null, TestPlan.zeros(10).rate(80_000_000).timeoutMs(30_000))) {
            Await.until("it runs", () -> running.progress().bytes().moved().durable() > 0);
            Path keys = home.resolve("keys");
            Path pipe = home.resolve("pipe");
            assertThat(new ProcessBuilder("mkfifo", "-m", "600", pipe.toString())
                            .start()
                            .waitFor())
                    .isZero();
            // In one atomic step: without a file of keys, the server would consider all keys revoked.
            Files.move(pipe, keys, StandardCopyOption.ATOMIC_MOVE);
            RawLink waiting = greedy.authenticated();
            try {
                waiting.send(HostileClient.push("/in/"));
                SessionMessage.Failed refused = waiting.next(SessionMessage.Failed.class);
                assertThat(refused.why().text()).contains("cannot read its keys");
                assertThat(refused.why().exitCode())
                        .as("as for a full server, the client may come again")
                        .isEqualTo(Cause.UNAVAILABLE.exitCode());
                cut.link().abort(Cause.CONNECTION_LOST.failure("cut"));
                assertThat(greedy.reattach(cut.session(), 0).next(SessionMessage.Reattached.class))
                        .isNotNull();
                Summary summary = running.await();
                assertThat(summary.failure()).as("%s", summary).isNull();
            } finally {
                waiting.close();
                SeekableByteChannel writer = Files.newByteChannel(keys, StandardOpenOption.WRITE);
                // Before the blocked reader sees the end of the file, so that nothing opens the pipe again.
                Files.delete(keys);
                writer.close();
            }
        }
    }

    @Test
    void throwingObserverFreesItsSession() {
        serve(ServerLimits.builder().sessions(1).build());
        server.whenOpened = session -> {
            throw new IllegalStateException("this observer fails on purpose");
        };
        assertThat(honestCopy().failure()).isNotNull();
        server.whenOpened = session -> {};
        Await.until("the session is over", () -> honestCopy().failure() == null);
    }
}
