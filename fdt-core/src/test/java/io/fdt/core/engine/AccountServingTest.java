package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Fdt;
import io.fdt.core.TestPlan;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.token.Issuers;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that passes the clients of the account ann to what would be ann's process, which is in this one: who is
 * passed on, and whom ann's process admits.
 */
@Timeout(300)
final class AccountServingTest {
    private static final String ANN = "ann of another process";

    @TempDir
    private Path directory;

    private Path home;
    private Path root;
    private Path source;
    private final Started atFront = new Started();
    private final Started atAnn = new Started();
    private final Passing passing = new Passing();
    private @Nullable Serving front;

    private static final class Started implements ServerObserver {
        final Queue<String> what = new ConcurrentLinkedQueue<>();
        final Queue<String> refused = new ConcurrentLinkedQueue<>();

        @Override
        public void onSessionStart(String session, String peer, String key, String request) {
            what.add(key + ": " + request);
        }

        @Override
        public void onRefused(String peer, String why) {
            refused.add(why);
        }
    }

    /** Passes everyone whose key names an account to one process. */
    private static final class Passing implements AccountProcesses {
        final AtomicInteger found = new AtomicInteger();
        final AtomicInteger passed = new AtomicInteger();
        volatile byte[] route = {1, 2, 3, 4, 5, 6, 7, 8};
        volatile @Nullable AccountServing serving;
        final ClaimLocks claims = new ClaimLocks();

        @Override
        public void find(AccessKey key, String token, Consumer<byte[]> toRoute, Consumer<TransferException> refused) {
            found.incrementAndGet();
            toRoute.accept(route);
        }

        @Override
        public byte @Nullable [] lender(String keyId) {
            return keyId.startsWith(AccountServing.lentPrefix(route)) ? route : null;
        }

        @Override
        public ClaimLocks claims() {
            return claims;
        }

        @Override
        public boolean pass(byte[] asked, int fd) {
            AccountServing to = serving;
            if (to == null || !Arrays.equals(asked, route)) {
                return false;
            }
            passed.incrementAndGet();
            to.adopt(fd);
            return true;
        }
    }

    @BeforeEach
    void start() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        source = Files.write(directory.resolve("source"), new byte[3 << 20]);
        ServerSettings settings = ServerSettings.of(root).copyingTo("127.0.0.0/8");
        front = Fdt.at(home).serve(settings, atFront, passing);
    }

    @AfterEach
    void stop() {
        AccountServing serving = passing.serving;
        if (serving != null) {
            serving.close();
        }
        if (front != null) {
            front.close();
        }
    }

    private int port() {
        return front == null ? 0 : front.address().getPort();
    }

    private String key(String name, @Nullable String user) {
        Permission all = Permission.READ_WRITE;
        IssuedKey made = new KeyStore(home)
                .create(name, new Permission(all.rights(), false, List.of(), KeyLimits.NONE, user), null);
        return ServerAccess.of(Identity.loadOrCreate(home), made).toLine();
    }

    /** Starts ann's process, with the keys in the home that name her account. */
    private KeyStore serveAnn() throws IOException {
        passing.claims.share();
        KeyStore keys = KeyStore.withoutFile();
        keys.hold(KeyStore.textOf(new KeyStore(home)
                .list().stream()
                        .filter(key -> ANN.equals(key.permission().user()))
                        .toList()));
        passing.serving = Fdt.at(home)
                .serveAccount(
                        ServerSettings.of(root).copyingTo("127.0.0.0/8"),
                        atAnn,
                        new AccountServing.Given(
                                Identity.loadOrCreate(home),
                                keys,
                                Issuers.NONE,
                                ANN,
                                passing.route,
                                ClaimLocks.joined(passing.claims.forAnother()),
                                new ServerTotals()));
        return keys;
    }

    private Summary push(String line, String target) throws InterruptedException {
        try (TransferJob copy =
                Fdt.at(home).withKey(line).copy(TestPlan.push(source, target).at(port()))) {
            return copy.await();
        }
    }

    @Test
    void aKeyWithAnAccountIsServedByItsProcessAndAnyOtherHere() throws Exception {
        String ann = key("ann", ANN);
        String other = key("other", null);
        serveAnn();

        assertThat(push(ann, "/of-ann").failure()).isNull();
        assertThat(push(other, "/of-other").failure()).isNull();

        assertThat(root.resolve("of-ann")).hasSameBinaryContentAs(source);
        assertThat(atAnn.what).containsExactly("ann: push to /of-ann");
        assertThat(atFront.what).containsExactly("other: push to /of-other");
        assertThat(passing.found).hasValue(1);
        // The link, and at least one lane.
        assertThat(passing.passed).hasValueGreaterThan(1);
    }

    @Test
    void whoIsSentToTheProcessOfAnotherAccountIsRefusedThere() throws Exception {
        key("ann", ANN);
        String bob = key("bob", "bob of another process");
        serveAnn();

        Summary refused = push(bob, "/stolen");

        assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(atAnn.what).isEmpty();
        assertThat(atAnn.refused).anyMatch(why -> why.contains("the key is unknown"));
        assertThat(root.resolve("stolen")).doesNotExist();
    }

    @Test
    void aClientFindsTheProcessThatReplacedTheOneItKnew() throws Exception {
        String ann = key("ann", ANN);
        serveAnn();
        try (Connected known =
                Fdt.at(home).withKey(ann).connected("127.0.0.1", port(), List.of(), 60_000, warning -> {})) {
            try (TransferJob first = known.copy(TestPlan.push(source, "/1").at(port()), TransferObserver.NONE)) {
                assertThat(first.await().failure()).isNull();
            }
            AccountServing before = passing.serving;
            passing.route = new byte[] {8, 7, 6, 5, 4, 3, 2, 1};
            serveAnn();
            if (before != null) {
                before.close();
            }
            try (TransferJob second = known.copy(TestPlan.push(source, "/2").at(port()), TransferObserver.NONE)) {
                assertThat(second.await().failure()).isNull();
            }
        }
        assertThat(passing.found).hasValue(2);
        assertThat(root.resolve("2")).hasSameBinaryContentAs(source);
    }

    @Test
    void keysThatAreTakenAwayAdmitNobodyThere() throws Exception {
        String ann = key("ann", ANN);
        KeyStore keys = serveAnn();
        keys.hold(KeyStore.textOf(List.of()));
        AccountServing serving = passing.serving;
        if (serving != null) {
            serving.onKeysChanged();
        }
        assertThat(push(ann, "/late").kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(root.resolve("late")).doesNotExist();
    }

    @Test
    void aCopyBetweenServersFindsTheProcessThatLentItsKey() throws Exception {
        String ann = key("ann", ANN);
        serveAnn();
        Files.write(root.resolve("from"), new byte[100]);
        try (TransferJob copy = Fdt.at(home)
                .withKey(ann)
                .copyBetween("127.0.0.1", port(), TestPlan.push("/from", "/to").at(port()), TransferObserver.NONE)) {
            assertThat(copy.await().failure()).isNull();
        }
        assertThat(root.resolve("to")).hasSameBinaryContentAs(root.resolve("from"));
        assertThat(atFront.what).isEmpty();
    }

    @Test
    void withoutProcessesTheKeyIsRefusedWithTheReason() throws Exception {
        Path ordinary = directory.resolve("ordinary");
        try (Serving serving = Fdt.at(ordinary).serve(ServerSettings.of(root), atFront)) {
            IssuedKey made = new KeyStore(ordinary)
                    .create(
                            "ann",
                            new Permission(Permission.READ_WRITE.rights(), false, List.of(), KeyLimits.NONE, ANN),
                            null);
            String line = ServerAccess.of(Identity.loadOrCreate(ordinary), made).toLine();
            try (TransferJob copy = Fdt.at(ordinary)
                    .withKey(line)
                    .copy(TestPlan.push(source, "/x").at(serving.address().getPort()))) {
                Summary refused = copy.await();
                assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
                assertThat(refused.message()).contains("as the account " + ANN).contains("run it as root");
            }
        }
        assertThat(root.resolve("x")).doesNotExist();
    }

    @Test
    void aKeyOfTheServersOwnAccountIsServedHere() throws Exception {
        String own = key("own", System.getProperty("user.name"));
        assertThat(push(own, "/own").failure()).isNull();
        assertThat(atFront.what).containsExactly("own: push to /own");
    }
}
