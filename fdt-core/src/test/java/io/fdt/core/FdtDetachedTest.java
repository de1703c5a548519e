package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.FileHash;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.plan.Zeros;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies between two servers that go on after the client that requested them has left. */
class FdtDetachedTest {
    @TempDir
    Path directory;

    private final Ends atSource = new Ends();
    private final Ends atTarget = new Ends();
    private Path sourceRoot;
    private Path targetRoot;
    private Serving source;
    private Serving target;

    /** The sessions of a server that have ended. */
    private static final class Ends implements ServerObserver {
        final Queue<Summary> ended = new ConcurrentLinkedQueue<>();

        @Override
        public void onSessionEnd(String session, String peer, String key, Summary summary) {
            ended.add(summary);
        }
    }

    @BeforeEach
    void start() throws IOException {
        sourceRoot = Files.createDirectory(directory.resolve("source"));
        targetRoot = Files.createDirectory(directory.resolve("target"));
        source = Fdt.at(home("a")).serve(ServerSettings.of(sourceRoot).copyingTo("127.0.0.0/8"), atSource);
        target = Fdt.at(home("b")).serve(ServerSettings.of(targetRoot), atTarget);
        know("me", "a", source, null);
        know("me", "b", target, null);
    }

    @AfterEach
    void stop() {
        source.close();
        target.close();
    }

    private Path home(String name) {
        return directory.resolve("home-" + name);
    }

    /** Gives this user a key of the server: the default key, or a new one with this name. */
    private void know(String user, String name, Serving server, @Nullable String newKey) {
        KeyStore keys = new KeyStore(home(name));
        IssuedKey key = newKey == null
                ? Objects.requireNonNull(keys.defaultKey())
                : keys.create(newKey, Permission.READ_WRITE, null);
        new KnownServers(home(user))
                .remember(
                        "127.0.0.1:" + server.address().getPort(),
                        ServerAccess.of(Identity.loadOrCreate(home(name)), key));
    }

    private Summary detach(TransferPlan push) throws InterruptedException {
        try (TransferJob job =
                Fdt.at(home("me")).detach("127.0.0.1", source.address().getPort(), push, 0, TransferObserver.NONE)) {
            return job.await();
        }
    }

    private TransferPlan push(String from, String to) {
        return TestPlan.push(from, to).at(target.address().getPort());
    }

    /** Runs until somebody ends it. */
    private TransferPlan endless() {
        return TransferPlan.of(Direction.PUSH, List.of(TransferPlan.DEV_ZERO), TransferPlan.DEV_NULL)
                .at("127.0.0.1", target.address().getPort())
                .with(CopyValue.ZEROS, Zeros.lasting(Duration.ofDays(1)))
                .with(CopyValue.RATE_LIMIT, 80_000_000L);
    }

    private String started(TransferPlan push) throws InterruptedException {
        Summary summary = detach(push);
        assertThat(summary.failure()).as(summary.message()).isNull();
        return summary.run().session();
    }

    private Summary jobs(String user, JobsPlan.Action action, String id, Queue<JobReport> found)
            throws InterruptedException {
        JobsPlan plan = new JobsPlan("127.0.0.1", source.address().getPort(), action, id, Await.LIMIT_MS);
        try (TransferJob job = Fdt.at(home(user)).jobs(plan, found::add, TransferObserver.NONE)) {
            return job.await();
        }
    }

    private Summary of(JobsPlan.Action action, String id) throws InterruptedException {
        return jobs("me", action, id, new ConcurrentLinkedQueue<>());
    }

    private List<JobReport> list(String user) throws InterruptedException {
        Queue<JobReport> found = new ConcurrentLinkedQueue<>();
        Summary summary = jobs(user, JobsPlan.Action.LIST, "", found);
        assertThat(summary.failure()).as(summary.message()).isNull();
        return List.copyOf(found);
    }

    private long moved() {
        try {
            return list("me").get(0).progress().bytes().moved().durable();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void copyGoesOnWithoutItsClientUntilItIsCancelled() throws Exception {
        String id = started(endless());

        long before = moved();
        Await.until("more is moved without a client", () -> moved() > before);
        assertThat(list("me")).singleElement().satisfies(job -> {
            assertThat(job.id()).isEqualTo(id);
            assertThat(job.from()).isEqualTo("/dev/zero");
            assertThat(job.to()).isEqualTo("127.0.0.1:" + target.address().getPort() + " /dev/null");
            assertThat(job.end()).isNull();
            assertThat(job.ageNanos()).isPositive();
        });

        Queue<JobReport> cancelled = new ConcurrentLinkedQueue<>();
        assertThat(jobs("me", JobsPlan.Action.CANCEL, id, cancelled).failure()).isNull();
        assertThat(cancelled)
                .singleElement()
                .satisfies(job ->
                        assertThat(Objects.requireNonNull(job.end()).kind()).isEqualTo(FailureKind.INTERRUPTED));
        Summary end = of(JobsPlan.Action.WAIT, id);
        assertThat(end.kind()).isEqualTo(FailureKind.INTERRUPTED);
        assertThat(end.message()).contains("cancelled");
        assertThat(end.bytes().moved().durable()).isPositive();
        Await.until("the push and the lent key have ended", () -> atTarget.ended.size() == 2);
    }

    @Test
    void resultIsKeptForWhoWaitsLater() throws Exception {
        Files.writeString(sourceRoot.resolve("f"), "content");
        String id = started(push("/f", "/in/"));

        Summary end = of(JobsPlan.Action.WAIT, id);
        assertThat(end.failure()).as(end.message()).isNull();
        assertThat(end.files().inPlace()).isEqualTo(1);
        assertThat(end.bytes().inPlace()).isEqualTo(7);
        assertThat(end.digest()).startsWith("xxh3-128:");
        assertThat(Files.readString(targetRoot.resolve("in/f"))).isEqualTo("content");
        assertThat(of(JobsPlan.Action.WAIT, id).failure()).isNull();
        Await.until("the push and the lent key have ended", () -> atTarget.ended.size() == 2);
    }

    private Summary fetch(String user, String id, Path receipt) throws InterruptedException {
        JobsPlan plan = new JobsPlan(
                "127.0.0.1", source.address().getPort(), JobsPlan.Action.WAIT, id, 30_000, RawPath.of(receipt));
        try (TransferJob job = Fdt.at(home(user)).jobs(plan, found -> {}, TransferObserver.NONE)) {
            return job.await();
        }
    }

    private TransferPlan recorded(String from, String to, Path receipt) {
        return TransferPlan.of(Direction.PUSH, List.of(RawPath.ofText(from)), RawPath.ofText(to))
                .at("127.0.0.1", target.address().getPort())
                .with(CopyValue.RECEIPT, RawPath.of(receipt))
                .with(CopyValue.CHECKSUMS, List.copyOf(Set.of(FileHash.ADLER32, FileHash.MD5)));
    }

    @Test
    void receiptIsKeptForWhoFetchesItLater() throws Exception {
        Files.createDirectories(sourceRoot.resolve("tree/sub"));
        Files.writeString(sourceRoot.resolve("tree/a"), "there before");
        assertThat(of(JobsPlan.Action.WAIT, started(push("/tree", "/in/"))).failure())
                .isNull();
        Files.writeString(sourceRoot.resolve("tree/sub/b"), "new");
        Path receipt = directory.resolve("receipt.json");
        String id = started(recorded("/tree", "/in/", receipt));

        assertThat(fetch("me", id, receipt).failure()).isNull();
        String text = Files.readString(receipt);
        assertThat(text)
                .contains("\"path\":\"tree/a\"", "\"outcome\":\"skipped\"", "\"adler32\"", "\"md5\"")
                .contains("\"target\":\"/in/\"", "\"exit_code\":0", "\"durable\":true");
        Path again = directory.resolve("again.json");
        assertThat(fetch("me", id, again).failure()).isNull();
        assertThat(again).hasSameTextualContentAs(receipt);
        Await.until("both pushes and lent keys have ended", () -> atTarget.ended.size() == 4);
    }

    @Test
    void jobWithoutReceiptSaysSoAndLeavesTheFileAlone() throws Exception {
        Files.writeString(sourceRoot.resolve("f"), "content");
        String id = started(push("/f", "/in/"));
        Path receipt = Files.writeString(directory.resolve("receipt.json"), "of another copy");
        Summary refused = fetch("me", id, receipt);
        assertThat(refused.kind()).isEqualTo(FailureKind.USAGE);
        assertThat(refused.message()).contains("has no receipt").contains("--receipt");
        assertThat(receipt).hasContent("of another copy");
        know("other", "a", source, "guest");
        assertThat(fetch("other", id, receipt).kind()).isEqualTo(FailureKind.SOURCE);
        Await.until("the push and the lent key have ended", () -> atTarget.ended.size() == 2);
    }

    /** The push and the lent key may end before this client hears that the copy has begun. */
    @Test
    void aCopyThatIsOverAtOnceIsNoFailure() throws Exception {
        Files.writeString(sourceRoot.resolve("f"), "in place after the first copy");
        RawPath file = RawPath.ofText("/f");
        for (int copy = 0; copy < 20; copy++) {
            String id = started(TransferPlan.of(Direction.PUSH, List.of(file), file)
                    .at("127.0.0.1", target.address().getPort()));
            assertThat(of(JobsPlan.Action.WAIT, id).failure())
                    .as("copy %d", copy)
                    .isNull();
        }
    }

    @Test
    void failedFilesAreReportedToWhoWaits() throws Exception {
        Files.createDirectories(sourceRoot.resolve("tree"));
        Files.createDirectories(targetRoot.resolve("tree"));
        Files.writeString(sourceRoot.resolve("tree/f"), "new");
        Files.writeString(sourceRoot.resolve("tree/g"), "another");
        Files.writeString(targetRoot.resolve("tree/f"), "old");
        String id = started(TransferPlan.of(Direction.PUSH, List.of(RawPath.ofText("/tree")), RawPath.ofText("/"))
                .at("127.0.0.1", target.address().getPort())
                .with(CopyValue.EXISTING, Existing.FAIL));

        Summary end = of(JobsPlan.Action.WAIT, id);
        assertThat(end.kind()).isEqualTo(FailureKind.SOME_FILES_FAILED);
        assertThat(end.files().firstFailed())
                .singleElement()
                .satisfies(failed -> assertThat(failed.path()).isEqualTo("tree/f"));
        assertThat(Files.readString(targetRoot.resolve("tree/f"))).isEqualTo("old");
        assertThat(targetRoot.resolve("tree/g")).hasContent("another");
    }

    @Test
    void whatCannotBeginIsReportedAtOnce() throws Exception {
        Summary summary = detach(push("/none", "/in/"));
        assertThat(summary.kind()).isEqualTo(FailureKind.SOURCE);
        Await.until(
                "nothing is left at the target",
                () -> atTarget.ended.stream().anyMatch(ended -> ended.failure() != null));
    }

    @Test
    void anotherKeySeesNothing() throws Exception {
        String id = started(endless());
        know("other", "a", source, "guest");

        assertThat(list("other")).isEmpty();
        for (JobsPlan.Action action : List.of(JobsPlan.Action.WAIT, JobsPlan.Action.CANCEL)) {
            Queue<JobReport> found = new ConcurrentLinkedQueue<>();
            Summary refused = jobs("other", action, id, found);
            assertThat(refused.kind()).isEqualTo(FailureKind.SOURCE);
            assertThat(refused.message()).contains("no job " + id);
            assertThat(found).isEmpty();
        }
        assertThat(list("me"))
                .singleElement()
                .satisfies(job -> assertThat(job.end()).isNull());
        of(JobsPlan.Action.CANCEL, id);
    }

    @Test
    void revokingTheKeyAtTheSourceEndsTheCopy() throws Exception {
        know("me", "a", source, "guest");
        started(endless());
        assertThat(new KeyStore(home("a")).revoke("guest")).isTrue();
        Await.until(
                "the job has ended",
                () -> atSource.ended.stream().anyMatch(ended -> ended.kind() == FailureKind.REFUSED));
        Await.until("the push and the lent key have ended", () -> atTarget.ended.size() == 2);
    }

    @Test
    void revokingTheKeyAtTheTargetEndsTheCopy() throws Exception {
        know("me", "b", target, "guest");
        String id = started(endless());
        assertThat(new KeyStore(home("b")).revoke("guest")).isTrue();
        assertThat(of(JobsPlan.Action.WAIT, id).kind()).isEqualTo(FailureKind.REFUSED);
        Await.until("the push and the lent key have ended", () -> atTarget.ended.size() == 2);
    }
}
