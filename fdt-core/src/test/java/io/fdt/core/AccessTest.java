package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.ServerLimits;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.Operations;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Plans;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
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
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a key permits its holder, and for how long, and how much of a server one client can take. */
class AccessTest {
    /** The longest time from a change of the keys to the end of the session. */
    @TempDir
    Path directory;

    private Path home;
    private Path root;
    private Path source;

    @BeforeEach
    void makeTrees() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        source = Files.createDirectories(directory.resolve("source"));
        Files.writeString(source.resolve("file"), "hello");
        Files.createDirectories(root.resolve("team/data"));
        Files.writeString(root.resolve("team/data/theirs"), "for the team");
        Files.writeString(root.resolve("others"), "canary");
    }

    private String key(boolean writable, List<String> roots, @Nullable Instant expires) {
        IssuedKey key = new KeyStore(home)
                .create("guest", (writable ? Permission.READ_WRITE : Permission.READ_ONLY).within(roots), expires);
        return ServerAccess.of(Identity.loadOrCreate(home), key).toLine();
    }

    @Test
    void readOnlyKeyReadsButCannotWrite() throws Exception {
        try (TestServer server = new TestServer(home, root)) {
            String guest = key(false, List.of(), null);

            Summary pushed = server.run(guest, TestPlan.push(source.resolve("file"), "/new"));
            Summary pulled = server.run(guest, TestPlan.pull("/others", directory.resolve("got")));

            assertThat(pushed.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(pushed.message()).contains("read-only");
            assertThat(root.resolve("new")).doesNotExist();
            assertThat(pulled.failure()).as("%s", pulled).isNull();
            assertThat(directory.resolve("got")).hasContent("canary");
        }
    }

    @Test
    void keyReachesOnlyItsOwnRoots() throws Exception {
        Files.createSymbolicLink(root.resolve("team/data/up"), Path.of("../.."));
        try (TestServer server = new TestServer(home, root)) {
            String guest =
                    key(true, List.of(root.resolve("team/data").toRealPath().toString()), null);

            assertThat(server.run(guest, TestPlan.pull("/theirs", directory.resolve("a")))
                            .failure())
                    .isNull();
            assertThat(server.run(guest, TestPlan.push(source.resolve("file"), "/sub/new"))
                            .failure())
                    .isNull();
            for (String path : List.of("/../../others", "/up/others", "/team/data/theirs", "/others")) {
                Summary summary = server.run(guest, TestPlan.pull(path, directory.resolve("stolen")));
                assertThat(summary.failure()).as(path).isNotNull();
            }

            assertThat(directory.resolve("a")).hasContent("for the team");
            assertThat(root.resolve("team/data/sub/new")).hasContent("hello");
            assertThat(directory.resolve("stolen")).doesNotExist();
        }
    }

    /** A client that may write in the export cannot redirect a key's root. */
    @Test
    void aKeysRootIsNotReachedThroughLinks() throws Exception {
        try (TestServer server = new TestServer(home, root)) {
            String guest =
                    key(true, List.of(root.resolve("team/data").toRealPath().toString()), null);
            Files.move(root.resolve("team"), root.resolve("moved"));
            Files.createDirectories(root.resolve("private/data"));
            Files.writeString(root.resolve("private/data/secret"), "canary");
            Files.createSymbolicLink(root.resolve("team"), Path.of("private"));

            Summary summary = server.run(guest, TestPlan.pull("/secret", directory.resolve("stolen")));

            assertThat(summary.failure()).as("%s", summary).isNotNull();
            assertThat(directory.resolve("stolen")).doesNotExist();
        }
    }

    @Test
    void aKeyForADirectoryThatIsNotExportedOpensNothing() throws Exception {
        Path beside = Files.createDirectories(directory.resolve("rootless"));
        try (TestServer server = new TestServer(home, root)) {
            String guest = key(true, List.of(beside.toRealPath().toString()), null);

            Summary summary = server.run(guest, TestPlan.push(source.resolve("file"), "/new"));

            assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(summary.message()).contains("does not export");
            assertThat(beside).isEmptyDirectory();
            assertThat(root.resolve("new")).doesNotExist();
        }
    }

    @Test
    void aRevokedKeyEndsItsSessionsAndNoOthers() throws Exception {
        try (TestServer server = new TestServer(home, root)) {
            String guest = key(true, List.of(), null);
            try (TransferJob revoked = server.start(guest, TestPlan.zeros(3_600).rate(80_000_000));
                    TransferJob other = server.start(null, TestPlan.zeros(3).rate(80_000_000))) {
                Await.until("both run", () -> server.started.size() == 2 && moved(revoked) && moved(other));

                assertThat(new KeyStore(home).revoke("guest")).isTrue();
                Summary summary = revoked.await();

                assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
                assertThat(summary.message()).contains("revoked");
                assertThat(other.await().failure()).isNull();
            }
            assertThat(server.run(guest, TestPlan.push(source.resolve("file"), "/new"))
                            .kind())
                    .isEqualTo(FailureKind.REFUSED);
            assertThat(server.refused).containsExactly("the key is unknown on the server or does not match");
        }
    }

    @Test
    void reportsAddedAndRevokedKeysByNameAndId() {
        try (TestServer server = new TestServer(home, root)) {
            IssuedKey early = new KeyStore(home).create("early", Permission.ALL, null);
            Await.until(
                    "the key is seen",
                    () -> server.keys.contains("+early " + early.key().id()));
            assertThat(new KeyStore(home).revoke("early")).isTrue();
            Await.until(
                    "it is seen to be gone",
                    () -> server.keys.contains("-early " + early.key().id()));
            assertThat(server.keys).hasSize(2);
        }
    }

    private static boolean moved(TransferJob copy) {
        return copy.progress().bytes().moved().durable() > 0;
    }

    /** Starts a copy until it runs: what an earlier session held is given back a moment after its end. */
    private static TransferJob running(TestServer server, @Nullable String line, TestPlan plan) {
        AtomicReference<TransferJob> last = new AtomicReference<>(server.start(line, plan));
        Await.until("it runs", () -> {
            TransferJob copy = last.get();
            try {
                if (!moved(copy) && copy.await(Duration.ZERO)) {
                    copy.close();
                    last.set(server.start(line, plan));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return moved(last.get());
        });
        return last.get();
    }

    @Test
    void anExpiredKeyEndsItsSessionsAndOpensNoMore() throws Exception {
        try (TestServer server = new TestServer(home, root)) {
            long seconds = 2;
            String guest = key(true, List.of(), Instant.now().plusSeconds(seconds));

            Summary running = server.run(guest, TestPlan.zeros(3_600).rate(80_000_000));
            while (running.bytes().moved().sent() == 0 && seconds < Await.LIMIT_SECONDS) {
                // On a busy machine the key may expire before the copy runs.
                seconds *= 2;
                assertThat(new KeyStore(home).revoke("guest")).isTrue();
                guest = key(true, List.of(), Instant.now().plusSeconds(seconds));
                running = server.run(guest, TestPlan.zeros(3_600).rate(80_000_000));
            }
            Summary later = server.run(guest, TestPlan.push(source.resolve("file"), "/new"));

            assertThat(running.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(running.message()).contains("expired");
            assertThat(running.bytes().moved().sent()).isPositive();
            assertThat(later.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(later.message()).contains("expired");
            assertThat(root.resolve("new")).doesNotExist();
        }
    }

    /** A file of keys that cannot be read admits no new client, but revokes nothing. */
    @Test
    void damagedKeyFileAdmitsNobodyAndEndsNoSession() throws Exception {
        try (TestServer server = new TestServer(home, root);
                TransferJob running = server.start(null, TestPlan.zeros(3).rate(80_000_000))) {
            Await.until("it runs", () -> moved(running));
            String line = ServerAccess.of(
                            Identity.loadOrCreate(home), Objects.requireNonNull(new KeyStore(home).defaultKey()))
                    .toLine();
            Path keys = home.resolve("keys");
            Path good = home.resolve("good");
            Files.copy(keys, good, StandardCopyOption.COPY_ATTRIBUTES);
            Files.writeString(keys, "rubbish\n");
            Await.until("it is told", () -> !server.warnings.isEmpty());

            Summary refused = server.run(line, TestPlan.push(source.resolve("file"), "/new"));
            Files.move(good, keys, StandardCopyOption.ATOMIC_MOVE);
            Summary served = server.run(line, TestPlan.push(source.resolve("file"), "/new"));

            assertThat(refused.failure()).isNotNull();
            assertThat(served.failure()).as("%s", served).isNull();
            assertThat(running.await().failure()).isNull();
            assertThat(server.warnings).hasSize(1);
        }
    }

    @Test
    void serverEnforcesTransferLimits() throws Exception {
        for (int i = 0; i < 20; i++) {
            Files.writeString(source.resolve("f" + i), "x");
        }
        Files.createDirectories(source.resolve("a/b/c/d"));
        Files.writeString(source.resolve("a/b/c/d/deep"), "x");
        Files.writeString(source.resolve("a/" + "n".repeat(200)), "x");
        Files.write(source.resolve("big"), new byte[3 << 20]);
        TransferLimits entries = new TransferLimits(10, Long.MAX_VALUE, 4095, 512);
        try (TestServer server = new TestServer(home, TcpSettings.DEFAULTS, ServerLimits.DEFAULT, entries, root)) {
            Summary pushed = server.run(TestPlan.push(source + "/", "/many"));
            assertThat(pushed.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(pushed.message()).contains("at most 10 files and directories");
            Summary pulled = server.run(TestPlan.pull("/team/", directory.resolve("few")));
            assertThat(pulled.failure()).as("%s", pulled).isNull();
        }
        TransferLimits paths = new TransferLimits(1000, Long.MAX_VALUE, 100, 4);
        try (TestServer server = new TestServer(home, TcpSettings.DEFAULTS, ServerLimits.DEFAULT, paths, root)) {
            Summary pushed = server.run(TestPlan.push(source + "/", "/shallow"));
            assertThat(pushed.kind()).isEqualTo(FailureKind.SOME_FILES_FAILED);
            assertThat(pushed.files().failed()).isEqualTo(2);
            assertThat(root.resolve("shallow/f7")).hasContent("x");
            assertThat(root.resolve("shallow/a/b/c/d/deep")).doesNotExist();
        }
        TransferLimits bytes = new TransferLimits(1000, 2 << 20, 4095, 512);
        try (TestServer server = new TestServer(home, TcpSettings.DEFAULTS, ServerLimits.DEFAULT, bytes, root)) {
            Summary pushed = server.run(TestPlan.push(source.resolve("big"), "/big"));
            assertThat(pushed.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(pushed.message()).contains("at most 2097152 bytes");
            assertThat(root.resolve("big")).doesNotExist();
            Summary zeros = server.run(TestPlan.zeros(20));
            assertThat(zeros.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(zeros.bytes().moved().sent()).isLessThan(300L << 20);
        }
    }

    @Test
    void clientLimitsHaveTheirOwnExitCode() throws Exception {
        Files.write(source.resolve("big"), new byte[3 << 20]);
        Files.write(root.resolve("big"), new byte[3 << 20]);
        TransferLimits own = new TransferLimits(1, 2 << 20, 4095, 512);
        try (TestServer server = new TestServer(home, root)) {
            Summary pushed =
                    server.run(TestPlan.push(source.resolve("big"), "/new").limits(own));
            Summary pulled =
                    server.run(TestPlan.pull("/big", directory.resolve("got")).limits(own));
            Summary many = server.run(
                    TestPlan.pull("/team/", directory.resolve("many")).limits(own));

            assertThat(pushed.kind()).isEqualTo(FailureKind.LIMIT);
            assertThat(pulled.kind()).isEqualTo(FailureKind.LIMIT);
            assertThat(pulled.message()).contains("--max-bytes");
            assertThat(directory.resolve("got")).doesNotExist();
            assertThat(many.kind()).isEqualTo(FailureKind.LIMIT);
            assertThat(many.message()).contains("--max-entries");
        }
    }

    @Test
    void keyLimitsApplyOnlyToThatKey() throws Exception {
        try (TestServer server = new TestServer(home, root)) {
            KeyStore keys = new KeyStore(home);
            Identity identity = Identity.loadOrCreate(home);
            KeyLimits limits = new KeyLimits(80_000_000, 80L << 20, 1);
            IssuedKey key = keys.create(
                    "small", new Permission(Permission.READ_WRITE.rights(), false, List.of(), limits), null);
            String line = ServerAccess.of(identity, key).toLine();
            Path large = source.resolve("large");
            Files.write(large, new byte[90 << 20]);
            Summary tooMuch = server.run(line, TestPlan.push(large, "/large"));
            assertThat(tooMuch.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(tooMuch.message()).contains("at most " + (80L << 20) + " bytes");
            try (TransferJob first = running(server, line, TestPlan.zeros(3_600).lanes(2))) {
                Summary second = server.run(line, TestPlan.push(source.resolve("file"), "/new"));
                assertThat(second.kind()).isEqualTo(FailureKind.LIMIT);
                assertThat(second.message()).contains("this key already has as many sessions as it may: 1");
                assertThat(server.run(TestPlan.push(large, "/large")).failure()).isNull();
                first.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
                first.await();
            }
            try (TransferJob limited = running(server, line, TestPlan.zeros(3).lanes(2))) {
                Summary slow = limited.await();
                assertThat(slow.failure()).as("%s", slow).isNull();
                // The server is the receiver, so it enforces the key's rate limit.
                assertThat(slow.bytes().moved().durable() * 8e9 / slow.run().elapsedNanos())
                        .isLessThan(100e6);
                assertThat(slow.run().bottleneck()).isEqualTo("rate-limit");
            }
        }
    }

    /** Whatever a key makes the server read or send is within its bytes, not only copies. */
    @Test
    void aKeysBytesLimitVerificationsSumsAndNetworkTests() throws Exception {
        Files.write(root.resolve("big"), new byte[3 << 20]);
        Files.write(source.resolve("big"), new byte[3 << 20]);
        String most = "at most " + (1 << 20) + " bytes";
        try (TestServer server = new TestServer(home, root)) {
            IssuedKey key = new KeyStore(home)
                    .create(
                            "small",
                            new Permission(
                                    Permission.READ_ONLY.rights(), false, List.of(), new KeyLimits(0, 1 << 20, 9)),
                            null);
            Fdt fdt = Fdt.at(home)
                    .withKey(ServerAccess.of(Identity.loadOrCreate(home), key).toLine());
            List<String> failures = new CopyOnWriteArrayList<>();
            RawPath here = RawPath.ofText(source.resolve("big").toString());
            VerifyPlan verification = new VerifyPlan(
                    new VerifyPlan.Side(null, 0, here, "here"),
                    new VerifyPlan.Side("127.0.0.1", server.port(), RawPath.ofText("/big"), "there"),
                    false,
                    false,
                    DigestKind.XXH3_128,
                    2,
                    Await.LIMIT_MS);
            try (VerifyJob job = fdt.verify(verification, new VerifyObserver() {
                @Override
                public void onDifference(String path, Finding finding, @Nullable String detail) {
                    failures.add("verify: " + detail);
                }
            })) {
                failures.add("verify: " + job.await().message());
            }
            assertThat(failures).anySatisfy(each -> assertThat(each).contains(most));

            failures.clear();
            try (Operations operations = fdt.operations("127.0.0.1", server.port(), Await.LIMIT_MS)) {
                FileOperation sum = new FileOperation(
                        FileOperation.Action.SUM, List.of(RawPath.ofText("/big")), false, DigestKind.XXH3_128);
                operations
                        .start(sum, new OperationObserver() {
                            @Override
                            public void onEntry(ListObserver.Entry entry, byte[] digest, @Nullable String doubt) {}

                            @Override
                            public void onFailed(RawPath path, Failure why) {
                                failures.add("sum: " + why.text());
                            }
                        })
                        .await();
            }
            assertThat(failures).anySatisfy(each -> assertThat(each).contains(most));

            NettestPlan test = Plans.throughput(
                    new NettestPath("127.0.0.1", server.port(), false, List.of(), 30_000),
                    1,
                    NettestPlan.Direction.OUT,
                    300_000,
                    128 << 10,
                    NettestPlan.Receive.DISCARD);
            try (NettestJob job = fdt.nettest(test, NettestObserver.NONE)) {
                // It may have lost a lane before it is told the reason.
                assertThat(job.await().failure()).isNotNull();
            }
            Await.until("its session has ended", () -> server.ended.size() == 3);
            assertThat(server.ended)
                    .anySatisfy(each -> assertThat(each.message()).contains(most));
        }
    }

    /** Otherwise the tests of one key could keep those of all others from running. */
    @Test
    void networkTestsOfAKeyLeaveMemoryToThoseOfOthers() throws Exception {
        try (TestServer server = new TestServer(home, root)) {
            IssuedKey key = new KeyStore(home).create("greedy", Permission.READ_ONLY, null);
            Fdt fdt = Fdt.at(home)
                    .withKey(ServerAccess.of(Identity.loadOrCreate(home), key).toLine());
            for (int lanes : new int[] {12, 4}) {
                NettestPlan test = Plans.throughput(
                        new NettestPath("127.0.0.1", server.port(), false, List.of(), 30_000),
                        lanes,
                        NettestPlan.Direction.OUT,
                        100,
                        16 << 20,
                        NettestPlan.Receive.COPY);
                try (NettestJob job = fdt.nettest(test, NettestObserver.NONE)) {
                    NettestOutcome outcome = job.await();
                    if (lanes == 4) {
                        assertThat(outcome.failure()).as(outcome.message()).isNull();
                    } else {
                        assertThat(outcome.failure().cause()).isEqualTo(Cause.SHARE_USED_UP);
                        assertThat(outcome.failure().textWithRemedy())
                                .contains("209 MiB", "256 MiB", "--nettest-memory");
                    }
                }
            }
        }
    }

    @Test
    void grantsLanesOnlyWithinFreeMemory() throws Exception {
        ServerLimits limits = ServerLimits.builder().memory(4 << 20, 1 << 20).build();
        try (TestServer server =
                new TestServer(home, TcpSettings.DEFAULTS, limits, TransferLimits.SERVER_DEFAULT, root)) {
            try (TransferJob first =
                    server.start(null, TestPlan.zeros(3_600).lanes(3).rate(80_000_000))) {
                Await.until("it runs", () -> moved(first));
                Summary second = server.run(TestPlan.zeros(1).lanes(3).rate(80_000_000));
                assertThat(second.run().lanes()).isEqualTo(1);
                try (TransferJob filling =
                        running(server, null, TestPlan.zeros(3_600).lanes(3).rate(80_000_000))) {
                    Summary third = server.run(TestPlan.push(source.resolve("file"), "/new"));
                    assertThat(third.exitCode()).isEqualTo(Cause.UNAVAILABLE.exitCode());
                    assertThat(third.message()).contains("--max-memory");
                    filling.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
                    filling.await();
                }
                first.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
                first.await();
            }
            // What a session held is given back a moment after its end.
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Await.LIMIT_SECONDS);
            int lanes;
            do {
                Summary last = server.run(TestPlan.zeros(1).lanes(4));
                assertThat(last.failure()).as("%s", last).isNull();
                lanes = last.run().lanes();
            } while (lanes < 4 && System.nanoTime() < deadline);
            assertThat(lanes).isEqualTo(4);
        }
    }
}
