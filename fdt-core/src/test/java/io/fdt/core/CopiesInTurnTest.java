package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.Client;
import io.fdt.core.control.Delegations;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.control.Server;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Resources;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.transfer.ServerRates;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.receiving.TargetClaims;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transfer.service.TransferService;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of one client one after another: which connections they open, counted where they arrive. */
final class CopiesInTurnTest {
    private final List<MessageLink> links = new CopyOnWriteArrayList<>();
    private final List<Lane> lanes = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final CountDownLatch revoked = new CountDownLatch(1);

    @SuppressWarnings("NullAway.Init")
    private Path root;

    @SuppressWarnings("NullAway.Init")
    private Path local;

    @SuppressWarnings("NullAway.Init")
    private KeyStore keys;

    @SuppressWarnings("NullAway.Init")
    private IssuedKey key;

    @SuppressWarnings("NullAway.Init")
    private TcpTransport there;

    @SuppressWarnings("NullAway.Init")
    private TcpTransport here;

    @SuppressWarnings("NullAway.Init")
    private Server server;

    @SuppressWarnings("NullAway.Init")
    private Transport.Listener listener;

    @SuppressWarnings("NullAway.Init")
    private Client client;

    @SuppressWarnings("NullAway.Init")
    private ServerConnection connection;

    @BeforeEach
    void start(@TempDir Path directory) throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        local = Files.createDirectory(directory.resolve("local"));
        Files.writeString(local.resolve("file"), "x");
        Identity identity = Identity.create();
        keys = new KeyStore(directory.resolve("home"));
        keys.createDefaultOnce();
        key = Objects.requireNonNull(keys.defaultKey());
        ServerObserver observer = new ServerObserver() {
            @Override
            public void onKeyRevoked(String name, String id) {
                revoked.countDown();
            }

            @Override
            public void onRefused(String peer, String why) {
                refused.add(why);
            }
        };
        TransferService transfers = new TransferService(
                new ExportedRoots(List.of(RawPath.ofText(root.toString())), false),
                true,
                TransferLimits.SERVER_DEFAULT,
                role -> SpreadWatch.NONE,
                new ServerRates(0, new ServerTotals()),
                observer,
                new TargetClaims(new ClaimLocks(), ServerObserver.NONE));
        there = TcpTransport.forServer(TcpSettings.DEFAULTS, identity, null);
        here = TcpTransport.forClient(TcpSettings.DEFAULTS, Set.of(identity.fingerprint()), accepted -> {});
        // Little, so that what a session does not give back is missed.
        server = new Server(
                new Server.Keys(identity.fingerprint(), keys, new Delegations(Clock.SYSTEM, "")),
                request -> transfers,
                ServerLimits.builder()
                        .sessions(2)
                        .connections(12)
                        .clearLanes(ClearLanes.ALLOW)
                        .build(),
                observer,
                "fdt",
                Clock.SYSTEM);
        listener = there.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Counting());
        client = new Client(here, ServerAccess.of(identity, key), "fdt", Clock.SYSTEM, null);
        connection = new ServerConnection(client, LaneTransports.over(Carrier.TCP, here), Resources.LENT);
    }

    @AfterEach
    void stop() {
        client.close();
        here.close();
        listener.close();
        server.close();
        there.close();
    }

    private final class Counting implements Transport.Acceptor {
        @Override
        public void onLane(Lane lane) {
            lanes.add(lane);
            server.onLane(lane);
        }

        @Override
        public void onLink(MessageLink link) {
            links.add(link);
            server.onLink(link);
        }

        @Override
        public void onGarbage(String peer, Failure what) {
            server.onGarbage(peer, what);
        }
    }

    private ClientTransfer start(TestPlan plan) {
        TransferPlan whole = plan.at(listener.address().getPort());
        return new ClientTransfer(whole, connection, role -> SpreadWatch.NONE, TransferObserver.NONE);
    }

    private void copy(TestPlan plan) throws InterruptedException {
        Summary summary = start(plan).await();
        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.files().inPlace()).isEqualTo(1);
    }

    private TestPlan push(String name) {
        return TestPlan.push(local.resolve("file"), "/" + name);
    }

    private TestPlan pull(String name) {
        return TestPlan.pull("/" + name, local.resolve(name));
    }

    private static TransferException lost() {
        return Cause.CONNECTION_LOST.failure("cut by the test");
    }

    @Test
    void copiesInTurnUseOneLinkAndOneLane() throws Exception {
        for (int i = 0; i < 10; i++) {
            copy(push("push" + i).lanes(1));
            copy(pull("push" + i).lanes(1));
            assertThat(local.resolve("push" + i)).hasContent("x");
        }
        assertThat(links).hasSize(1);
        assertThat(lanes).hasSize(1);
        assertThat(refused).isEmpty();
    }

    @Test
    void aCopyWithMoreLanesOpensTheMissingOnes() throws Exception {
        copy(push("a").lanes(1));
        copy(push("b").lanes(3));
        copy(push("c").lanes(3));
        assertThat(links).hasSize(1);
        // A copy may be complete before its last lane has joined; then that lane is closed.
        assertThat(lanes.size()).isLessThanOrEqualTo(1 + 2 + 2);
    }

    @Test
    void copiesAtOnceHaveALinkEach() throws Exception {
        ClientTransfer first = start(TestPlan.zeros(600).lanes(1));
        Await.until("it has begun", () -> !lanes.isEmpty());
        copy(push("a").lanes(1));
        copy(push("b").lanes(1));
        first.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
        assertThat(first.await().kind()).isEqualTo(FailureKind.INTERRUPTED);
        assertThat(links).hasSize(2);
        assertThat(lanes).hasSize(2);
    }

    /** A clear lane must not carry a copy that is to be encrypted, and a paced one not another copy. */
    @Test
    void lanesThatDifferAreNotUsed() throws Exception {
        copy(push("clear").lanes(1).clearLanes());
        copy(push("encrypted").lanes(1));
        assertThat(lanes).hasSize(2);
        copy(push("paced").lanes(1).rate(1_000_000_000));
        copy(push("unpaced").lanes(1));
        assertThat(links).hasSize(1);
        assertThat(lanes).hasSize(3);
    }

    @Test
    void aCopyAfterItsConnectionsWereLostOpensOthers() throws Exception {
        copy(push("a").lanes(1));
        links.forEach(link -> link.abort(lost()));
        lanes.forEach(lane -> lane.abort(lost()));
        copy(push("b").lanes(1));
        assertThat(links).hasSize(2);
        assertThat(lanes).hasSize(2);
        assertThat(root.resolve("b")).hasContent("x");
    }

    @Test
    void aFailedCopyLeavesNoLinkBehind() throws Exception {
        Summary missing = start(pull("none").lanes(1)).await();
        assertThat(missing.failure()).isNotNull();
        copy(push("a").lanes(1));
        copy(push("b").lanes(1));
        assertThat(links.size()).isLessThanOrEqualTo(2);
        assertThat(lanes.size()).isLessThanOrEqualTo(2);
    }

    @Test
    void aRevokedKeyOpensNoSessionOnItsOldLink() throws Exception {
        copy(push("a").lanes(1));
        assertThat(keys.revoke(key.key().id())).isTrue();
        Await.until("the server knows", revoked);
        Summary summary = start(push("b").lanes(1)).await();
        assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
        // The old link tells nothing: the client had to prove its key again.
        assertThat(summary.message()).contains("unknown on the server");
        assertThat(links).hasSize(2);
        assertThat(root.resolve("b")).doesNotExist();
    }
}
