package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Right;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Kind;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Copies between two servers, requested and followed by a client on a third machine. All three use real sockets and
 * files, and run in this process, each with its own home.
 */
class FdtThirdPartyTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private final Heard atSource = new Heard();
    private final Heard atTarget = new Heard();
    private Path sourceRoot;
    private Path targetRoot;
    private Serving source;
    private Serving target;

    @BeforeEach
    void start() throws IOException {
        sourceRoot = Files.createDirectory(directory.resolve("source"));
        targetRoot = Files.createDirectory(directory.resolve("target"));
        source = serveSource("127.0.0.0/8");
        target = Fdt.at(home("b")).serve(ServerSettings.of(targetRoot), atTarget);
        know("a", source, null);
        know("b", target, null);
    }

    @AfterEach
    void stop() {
        source.close();
        target.close();
    }

    private Path home(String name) {
        return directory.resolve("home-" + name);
    }

    private Serving serveSource(String... networks) {
        ServerSettings settings = ServerSettings.of(sourceRoot);
        return Fdt.at(home("a")).serve(networks.length == 0 ? settings : settings.copyingTo(networks), atSource);
    }

    /** Gives the third machine a key of the server: the default key, or a new one with this permission. */
    private void know(String name, Serving server, @Nullable Permission permission) {
        KeyStore keys = new KeyStore(home(name));
        IssuedKey key =
                permission == null ? Objects.requireNonNull(keys.defaultKey()) : keys.create("guest", permission, null);
        new KnownServers(home("me"))
                .remember(
                        "127.0.0.1:" + server.address().getPort(),
                        ServerAccess.of(Identity.loadOrCreate(home(name)), key));
    }

    private TransferJob begin(TestPlan plan, TransferObserver observer) {
        return begin(plan.at(target.address().getPort()), observer);
    }

    private TransferJob begin(TransferPlan push, TransferObserver observer) {
        return Fdt.at(home("me")).copyBetween("127.0.0.1", source.address().getPort(), push, observer);
    }

    private Summary copy(TestPlan plan) throws InterruptedException {
        try (TransferJob copy = begin(plan, TransferObserver.NONE)) {
            return copy.await();
        }
    }

    private static void random(Path file, int bytes, long seed) throws IOException {
        byte[] content = new byte[bytes];
        new Random(seed).nextBytes(content);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, content);
    }

    private static Map<String, Long> contents(Path root) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                found.put(root.relativize(path).toString(), (long) Arrays.hashCode(Files.readAllBytes(path)));
            }
        }
        return found;
    }

    /** An observer that records the events of a server or a copy. */
    private static final class Heard implements ServerObserver, TransferObserver {
        final Queue<String> started = new ConcurrentLinkedQueue<>();
        final Queue<SessionActivity> opened = new ConcurrentLinkedQueue<>();
        final Queue<Summary> ended = new ConcurrentLinkedQueue<>();
        final Queue<String> warnings = new ConcurrentLinkedQueue<>();
        final Queue<String> files = new ConcurrentLinkedQueue<>();

        @Override
        public void onSessionOpen(SessionActivity session) {
            opened.add(session);
        }

        /** The sessions that count as copies. */
        List<Kind> copies() {
            return opened.stream()
                    .map(session -> session.state().kind())
                    .filter(Objects::nonNull)
                    .toList();
        }

        @Override
        public void onSessionStart(String session, String peer, String key, String what) {
            started.add(what);
        }

        @Override
        public void onSessionEnd(String session, String peer, String key, Summary summary) {
            ended.add(summary);
        }

        @Override
        public void onStart(String session, int lanes, String transport, String peer) {
            started.add(session);
        }

        @Override
        public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
            files.add(outcome + " " + path + " " + sizeBytes);
        }

        @Override
        public void onWarning(String text) {
            warnings.add(text);
        }
    }

    @Test
    void copiesTreeBetweenServersWithProgress() throws Exception {
        random(sourceRoot.resolve("run/big"), 9 * MIB + 17, 1);
        random(sourceRoot.resolve("run/sub/small"), 100, 2);
        Heard heard = new Heard();
        Summary summary;
        try (TransferJob copy = begin(TestPlan.push("/run", "/in/"), heard)) {
            summary = copy.await();
            assertThat(copy.progress().bytes().done()).isEqualTo(9L * MIB + 117);
            assertThat(copy.progress().totalsFinal()).isTrue();
        }

        assertThat(summary.failure()).as(summary.message()).isNull();
        assertThat(summary.files().inPlace()).isEqualTo(2);
        assertThat(summary.bytes().inPlace()).isEqualTo(9L * MIB + 117);
        assertThat(summary.digest()).startsWith("xxh3-128:");
        assertThat(contents(targetRoot.resolve("in"))).isEqualTo(contents(sourceRoot));
        assertThat(heard.started).containsExactly(summary.run().session());
        assertThat(heard.files)
                .containsExactlyInAnyOrder("COPIED run/big " + (9 * MIB + 17), "COPIED run/sub/small 100");
        assertThat(atSource.started).hasSize(1).allMatch(what -> what.startsWith("push /run to 127.0.0.1:"));
        assertThat(atTarget.started).containsExactly("delegate a push to /in/", "push to /in/");
        Await.until("both sessions of the target have ended", () -> atTarget.ended.size() == 2);
        assertThat(atTarget.ended).allMatch(ended -> ended.failure() == null);
    }

    @Test
    void deletesOnTheTargetWhatTheSourceDoesNotHave() throws Exception {
        random(sourceRoot.resolve("run/kept"), 100, 1);
        random(targetRoot.resolve("in/old/gone"), 100, 2);
        random(targetRoot.resolve("in/gone"), 100, 3);
        Heard dry = new Heard();
        try (TransferJob copy = begin(TestPlan.push("/run/", "/in/").mirror().dryRun(), dry)) {
            Summary.Preview preview = Objects.requireNonNull(copy.await().preview());
            assertThat(preview.filesToDelete()).isEqualTo(2);
        }
        assertThat(dry.files).contains("WOULD_DELETE gone 0");
        assertThat(targetRoot.resolve("in/gone")).exists();

        know("b", target, new Permission(EnumSet.of(Right.LIST, Right.WRITE), false, List.of(), KeyLimits.NONE));
        Summary refused = copy(TestPlan.push("/run/", "/in/").mirror());
        assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(refused.message()).contains("does not permit to delete");

        know("b", target, null);
        Heard heard = new Heard();
        try (TransferJob copy = begin(TestPlan.push("/run/", "/in/").mirror(), heard)) {
            Summary summary = copy.await();
            assertThat(summary.failure()).as(summary.message()).isNull();
            assertThat(summary.files().deleted()).isEqualTo(2);
        }
        assertThat(heard.files).contains("DELETED gone 0");
        assertThat(contents(targetRoot.resolve("in"))).isEqualTo(contents(sourceRoot.resolve("run")));
    }

    /** More files than may be in flight at once, with an observer that is slower than the copy. */
    @Test
    void reportsEveryFileToSlowClient() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            random(sourceRoot.resolve("many/" + i), 1, i);
            expected.add("COPIED many/" + i + " 1");
        }
        Heard heard = new Heard();
        TransferObserver slow = new TransferObserver() {
            @Override
            public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
                if (heard.files.size() % 100 == 0) {
                    LockSupport.parkNanos(5_000_000);
                }
                heard.onFile(path, outcome, sizeBytes, why);
            }
        };
        try (TransferJob copy = begin(TestPlan.push("/many", "/"), slow)) {
            assertThat(copy.await().failure()).isNull();
        }
        assertThat(heard.files).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void serverConnectsNowhereByDefault() throws Exception {
        random(sourceRoot.resolve("f"), 10, 1);
        source.close();
        source = serveSource();
        know("a", source, null);
        Summary summary = copy(TestPlan.push("/f", "/f"));
        assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(summary.failure().textWithRemedy()).contains("--third-party NETWORK");
        assertThat(contents(targetRoot)).isEmpty();
    }

    @Test
    void connectsOnlyToAllowedNetworks() throws Exception {
        random(sourceRoot.resolve("f"), 10, 1);
        source.close();
        source = serveSource("10.0.0.0/8", "0.0.0.0/0");
        know("a", source, null);
        Summary summary = copy(TestPlan.push("/f", "/f"));
        assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(summary.message()).contains("may not copy to 127.0.0.1");
        assertThat(atTarget.started).containsExactly("delegate a push to /f");
        assertThat(contents(targetRoot)).isEmpty();
    }

    /** Also one that fails before there is a session between the servers. */
    @ParameterizedTest
    @CsvSource({"127.0.0.0/8, /f", "10.0.0.0/8, /f", "127.0.0.0/8, /missing"})
    void eachServerCountsOneCopy(String network, String path) throws Exception {
        random(sourceRoot.resolve("f"), 10, 1);
        source.close();
        source = serveSource(network);
        know("a", source, null);
        boolean fails = copy(TestPlan.push(path, "/f")).failure() != null;
        assertThat(fails).isEqualTo(network.startsWith("10") || path.equals("/missing"));
        Await.until(
                "the sessions have ended",
                () -> atSource.ended.size() == 1 && atTarget.ended.size() == (fails ? 1 : 2));
        assertThat(atSource.copies())
                .containsExactly(new Kind(SessionActivity.Service.COPY, SessionActivity.Direction.OUT));
        assertThat(atTarget.copies())
                .containsExactly(new Kind(SessionActivity.Service.COPY, SessionActivity.Direction.IN));
        assertThat(atSource.ended).extracting(Summary::outcome).containsExactly(fails ? "failed" : "ok");
        assertThat(atTarget.ended).extracting(Summary::outcome).containsOnly(fails ? "failed" : "ok");
    }

    @Test
    void sourceKeyLimitsWhatIsRead() throws Exception {
        random(sourceRoot.resolve("theirs/f"), 10, 1);
        random(sourceRoot.resolve("private"), 10, 2);
        know(
                "a",
                source,
                Permission.READ_ONLY.within(List.of(sourceRoot.resolve("theirs").toString())));
        assertThat(copy(TestPlan.push("/private", "/p")).kind()).isEqualTo(FailureKind.SOURCE);
        assertThat(copy(TestPlan.push("/../private", "/p")).kind()).isIn(FailureKind.SOURCE, FailureKind.REFUSED);
        assertThat(copy(TestPlan.push("/f", "/f")).failure()).isNull();
        assertThat(contents(targetRoot).keySet()).containsExactly("f");
    }

    @Test
    void targetKeyLimitsWhatIsLent() throws Exception {
        random(sourceRoot.resolve("f"), 10, 1);
        know("b", target, Permission.READ_ONLY);
        Summary summary = copy(TestPlan.push("/f", "/f"));
        assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(summary.message()).contains("read-only");
        assertThat(atSource.started).as("nobody was sent").isEmpty();
        assertThat(contents(targetRoot)).isEmpty();
    }

    /** Durable chunks are recorded in the journal, so the next run resumes them. */
    private TransferPlan durably() {
        RawPath big = RawPath.ofText("/big");
        return TransferPlan.of(TransferPlan.Direction.PUSH, List.of(big), big)
                .at("127.0.0.1", target.address().getPort())
                .with(CopyValue.CHUNK_BYTES, MIB)
                .lanes(2);
    }

    @Test
    void interruptEndsBothSessionsAndCopyResumes() throws Exception {
        random(sourceRoot.resolve("big"), 40 * MIB, 1);
        try (TransferJob copy = begin(durably().with(CopyValue.RATE_LIMIT, 20_000_000L), TransferObserver.NONE)) {
            Await.until("a part is in place", () -> copy.progress().bytes().done() > 4 * MIB);
            copy.interrupt(Failure.of(Cause.INTERRUPTED, "stopped by the test"));
            Summary summary = copy.await();
            assertThat(summary.kind()).isEqualTo(FailureKind.INTERRUPTED);
            assertThat(summary.bytes().inPlace()).as("in complete files").isZero();
            assertThat(summary.bytes().moved().durable()).isPositive();
        }
        Await.until("the sessions have ended", () -> atSource.ended.size() == 1 && atTarget.ended.size() == 2);
        assertThat(targetRoot.resolve("big")).doesNotExist();

        try (TransferJob copy = begin(durably(), TransferObserver.NONE)) {
            Summary rerun = copy.await();
            assertThat(rerun.failure()).as(rerun.message()).isNull();
            assertThat(rerun.bytes().resumed()).isGreaterThanOrEqualTo(4 * MIB);
        }
        assertThat(contents(targetRoot)).isEqualTo(contents(sourceRoot));
    }

    @Test
    void revokingTheKeyOfTheTargetEndsTheCopy() throws Exception {
        random(sourceRoot.resolve("big"), 40 * MIB, 1);
        know("b", target, Permission.READ_WRITE);
        try (TransferJob copy = begin(TestPlan.push("/big", "/big").rate(8_000_000), TransferObserver.NONE)) {
            Await.until("it runs", () -> copy.progress().bytes().moved().durable() > 0);
            assertThat(new KeyStore(home("b")).revoke("guest")).isTrue();
            assertThat(copy.await().kind()).isEqualTo(FailureKind.REFUSED);
        }
        Await.until("the push has ended", () -> atTarget.ended.size() == 2);
    }

    @Test
    void lostTargetIsReportedAsLostConnection() throws Exception {
        random(sourceRoot.resolve("big"), 40 * MIB, 1);
        try (TransferJob copy = begin(TestPlan.push("/big", "/big").rate(8_000_000), TransferObserver.NONE)) {
            Await.until("it runs", () -> copy.progress().bytes().moved().durable() > 0);
            target.close();
            assertThat(copy.await().kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        }
        Await.until("the copy has ended", () -> atSource.ended.size() == 1);
    }
}
