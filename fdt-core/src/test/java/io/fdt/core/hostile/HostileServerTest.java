package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Fdt;
import io.fdt.core.Json;
import io.fdt.core.TestPlan;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.OperationSummary;
import io.fdt.core.files.Operations;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Running;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that the client trusts but should not: it receives the offered files, and writes into the pull's target. */
class HostileServerTest {
    private static final byte[] EVIL = "EVIL!".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path directory;

    private Path target;
    private Path source;
    private HostileServer server;
    private String keyLine;
    private Map<String, String> before;

    @BeforeEach
    void start() throws IOException {
        target = directory.resolve("outside/target");
        Files.createDirectories(target);
        Files.writeString(directory.resolve("outside/canary"), "canary");
        Files.createSymbolicLink(target.resolve("out"), Path.of(".."));
        Files.createSymbolicLink(target.resolve("absolute"), directory.resolve("outside"));
        source = Files.createDirectories(directory.resolve("source"));
        Files.writeString(source.resolve("offered"), "offered");
        Files.writeString(directory.resolve("secret"), "SECRET-NOT-OFFERED");
        before = outside();
        Identity identity = Identity.create();
        server = new HostileServer(identity);
        IssuedKey key = IssuedKey.of("k", Permission.ALL, null);
        keyLine = ServerAccess.of(identity, key).toLine();
    }

    @AfterEach
    void nothingOutsideHasChanged() throws IOException {
        server.close();
        assertThat(outside()).isEqualTo(before);
    }

    private Map<String, String> outside() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.filter(each -> !each.startsWith(target)).toList()) {
                found.put(
                        path.toString(),
                        Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) ? Files.readString(path) : "");
            }
        }
        return found;
    }

    private TransferJob start(TestPlan plan) {
        TransferPlan whole = plan.timeoutMs(30_000).at(server.port());
        return Fdt.at(directory.resolve("home-that-is-not-there"))
                .withKey(keyLine)
                .copy(whole, TransferObserver.NONE);
    }

    private RawLane onlyLane() throws InterruptedException {
        Await.until("a lane comes", () -> !server.lanes.isEmpty());
        return server.lanes.get(0);
    }

    static Stream<byte[]> evilPaths() {
        return HostileClientTest.evilPaths();
    }

    @ParameterizedTest
    @MethodSource("evilPaths")
    void cannotPutAFileOutsideThePullsTarget(byte[] path) throws Exception {
        try (TransferJob pull = start(TestPlan.pull("/anything/", target).lanes(1))) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.SourceShape(false));
            link.send(
                    new TransferMessage.ManifestPage(0, List.of(Frames.file("good", 5), Frames.file(path, 5, 04755))));
            RawLane lane = onlyLane();
            lane.send(Frames.chunk(server.sessionId, 1, 0, EVIL));
            lane.send(Frames.chunk(server.sessionId, 0, 0, EVIL));
            assertThat(HostileClient.required(link.next(TransferMessage.FilesDone.class))
                            .fileIds())
                    .containsExactly(0);
            link.send(new TransferMessage.Finish(10, 0, "none", 0));
            HostileClient.required(link.next(TransferMessage.Finished.class));
            link.close();
            lane.close();

            Summary summary = pull.await();

            assertThat(summary.files().failed()).as("%s", summary).isEqualTo(1);
            assertThat(target.resolve("good")).hasContent("EVIL!");
        }
    }

    /** Only a push can carry a range. A pull that accepted one would end with a file that has no name. */
    @Test
    void cannotGiveAPullARangeOfAFile() throws Exception {
        FileRange range = new FileRange(0, 20 << 20, 8 << 20);
        try (TransferJob pull = start(TestPlan.pull("/anything/", target).lanes(1))) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.SourceShape(false));
            link.send(new TransferMessage.ManifestPage(
                    0, List.of(Frames.file("f", 20 << 20).ranged(range))));
            TransferMessage.Verdicts verdicts = link.next(TransferMessage.Verdicts.class);
            assertThat(verdicts).isNotNull();
            assertThat(verdicts.exceptions())
                    .hasSize(1)
                    .allSatisfy(each -> assertThat(each.kind()).isEqualTo(TransferMessage.VerdictKind.FAILED));
            link.send(new TransferMessage.Finish(0, 0, "none", 0));
            HostileClient.required(link.next(TransferMessage.Finished.class));
            link.close();
            assertThat(pull.await().kind()).isEqualTo(FailureKind.REFUSED);
        }
        try (Stream<Path> files = Files.list(target)) {
            assertThat(files.filter(each -> each.toString().contains(".fdt."))).isEmpty();
        }
    }

    /**
     * An empty directory from the server would empty the whole target, although the pull requested only one directory.
     */
    @Test
    void cannotDeleteBesideTheDirectoriesThatWereRequested() throws Exception {
        Path precious = Files.writeString(target.resolve("precious"), "x");
        try (TransferJob pull = start(TestPlan.pull("/anything", target).mirror())) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.SourceShape(false));
            link.send(new TransferMessage.ManifestPage(0, List.of(Frames.directory(""))));
            link.send(new TransferMessage.Finish(0, 0, "none", 0));
            assertThat(pull.await().kind()).isEqualTo(FailureKind.REFUSED);
        }
        assertThat(precious).exists();
    }

    /** The server offers a directory whose name is a link in the target. */
    @Test
    void cannotDeleteThroughLinksOfTheTarget() throws Exception {
        try (TransferJob pull = start(TestPlan.pull("/anything/", target).mirror())) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.SourceShape(false));
            link.send(new TransferMessage.ManifestPage(0, List.of(Frames.directory(""), Frames.directory("out"))));
            link.send(new TransferMessage.Finish(0, 0, "none", 0));
            HostileClient.required(link.next(TransferMessage.Finished.class));
            link.leave();
            assertThat(pull.await().failure()).isNull();
        }
        assertThat(Files.isDirectory(target.resolve("out"), LinkOption.NOFOLLOW_LINKS))
                .as("the link itself is replaced")
                .isTrue();
    }

    /** Links first, and then entries whose paths lead through them. */
    @Test
    void cannotWriteThroughLinksThatItSent() throws Exception {
        List<FileEntry> entries = List.of(
                Frames.link("up", ".."),
                Frames.link("abs", directory.resolve("outside").toString()),
                Frames.file("up/canary", 5),
                Frames.file("abs/canary", 5),
                Frames.directory("abs/made"),
                Frames.file("out/canary", 5),
                Frames.link("up/link", "x"));
        try (TransferJob pull = start(TestPlan.pull("/anything/", target).lanes(1))) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.SourceShape(false));
            link.send(new TransferMessage.ManifestPage(0, entries));
            assertThat(link.next(TransferMessage.Verdicts.class)).isNotNull();
            RawLane lane = onlyLane();
            for (int id = 0; id < entries.size(); id++) {
                lane.send(Frames.chunk(server.sessionId, id, 0, EVIL));
            }
            link.send(new TransferMessage.Finish(10, 0, "none", 0));
            HostileClient.required(link.next(TransferMessage.Finished.class));
            link.close();
            lane.close();
            Summary summary = pull.await();
            assertThat(summary.kind()).as("%s", summary).isNotNull().isNotEqualTo(FailureKind.INTERNAL);
            assertThat(summary.files().failed()).isPositive();
        }
    }

    /** The server answers for entries that were never offered, or requests bytes that the file does not have. */
    @Test
    void cannotAskForMoreThanWasOffered() throws Exception {
        Files.createSymbolicLink(source.resolve("link"), directory.resolve("secret"));
        before = outside();
        List<TransferMessage> tricks = List.of(
                new TransferMessage.Verdicts(
                        0, 1, List.of(new Verdict(0, VerdictKind.PART, List.of(new Range(0, 1 << 20)), null))),
                new TransferMessage.Verdicts(
                        0,
                        2,
                        List.of(
                                new Verdict(1, VerdictKind.PART, List.of(new Range(131_072, 10)), null),
                                new Verdict(0, VerdictKind.PART, List.of(new Range(0, 7)), null))),
                new TransferMessage.Verdicts(5, 10, List.of()),
                new TransferMessage.Verdicts(0, 1024, List.of()),
                new TransferMessage.Verdicts(Integer.MAX_VALUE, 1024, List.of()),
                new TransferMessage.SendAgain(77, 0, 0),
                new TransferMessage.SendAgain(0, 1L << 40, 0),
                new TransferMessage.Acknowledged(new int[] {99}, new long[] {0}, new int[] {1}),
                new TransferMessage.FilesDone(new int[] {0, 99}, new byte[32]),
                new TransferMessage.FilesDone(new int[] {0}, new byte[3]));
        for (TransferMessage trick : tricks) {
            server.lanes.clear();
            try (TransferJob push = start(TestPlan.push(source + "/", "/x").lanes(1))) {
                RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
                assertThat(link.next(TransferMessage.ManifestPage.class)).isNotNull();
                Await.until("a lane over which it could send", () -> !server.lanes.isEmpty());
                link.send(trick);
                link.send(trick);
                link.send(new SessionMessage.Failed(Failure.of(Cause.TARGET, "the end of this trick")));
                Summary summary = push.await();

                assertThat(summary.kind())
                        .as("%s: %s", trick, summary)
                        .isNotNull()
                        .isNotEqualTo(FailureKind.INTERNAL);
                for (RawLane each : server.lanes) {
                    assertThat(new String(each.received(), StandardCharsets.ISO_8859_1))
                            .doesNotContain("SECRET");
                }
                link.close();
            }
        }
    }

    /**
     * A file that is shorter than its reported size: the missing bytes of its chunk are sent as zeros, not as earlier
     * contents of the block. Files in /sys report 4096 bytes and contain only a few.
     */
    @Test
    void missingBytesOfAShortFileAreSentAsZeros() throws Exception {
        Path poison = source.resolve("poison");
        byte[] content = new byte[1 << 20];
        Arrays.fill(content, (byte) 0x5A);
        Files.write(poison, content);
        before = outside();
        Path shortOne = Path.of("/sys/devices/system/cpu/online");
        assertThat(Files.size(shortOne)).isGreaterThan(Files.readAllBytes(shortOne).length);
        try (TransferJob push =
                start(TestPlan.push(poison, "/x/").alsoFrom(shortOne).lanes(1))) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            // A sender that has to wait for its next entry sends the page without it.
            for (int entries = 0; entries < 2; ) {
                TransferMessage.ManifestPage page = link.next(TransferMessage.ManifestPage.class);
                assertThat(page).isNotNull();
                int count = page.entries().size();
                link.send(new TransferMessage.Verdicts(page.firstId(), count, List.of()));
                entries += count;
            }
            RawLane lane = onlyLane();
            TransferMessage.SourceFailed failed = link.next(TransferMessage.SourceFailed.class);
            assertThat(failed).isNotNull();
            Await.until("both files came", () -> lane.received().length >= (1 << 20) + 4096);
            byte[] received = lane.received();
            int poisoned = 0;
            for (byte each : received) {
                poisoned += each == (byte) 0x5A ? 1 : 0;
            }
            assertThat(poisoned).isBetween(1 << 20, (1 << 20) + 64);
            link.send(new SessionMessage.Failed(Failure.of(Cause.TARGET, "the end of this trick")));
            assertThat(push.await().kind()).isEqualTo(FailureKind.TARGET);
        }
    }

    /**
     * The client's queue for a server stays in proportion to what was offered, however often the server repeats
     * requests.
     */
    @Test
    void cannotDecideTwiceAboutAnEntry() throws Exception {
        List<Verdict> part = List.of(new Verdict(0, VerdictKind.PART, List.of(new Range(0, 1)), null));
        for (List<Verdict> exceptions : List.of(List.<Verdict>of(), part)) {
            try (TransferJob push =
                    start(TestPlan.push(source.resolve("offered"), "/x").lanes(1))) {
                RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
                assertThat(link.next(TransferMessage.ManifestPage.class)).isNotNull();
                link.send(new TransferMessage.Verdicts(0, 1, exceptions));
                link.send(new TransferMessage.Verdicts(0, 1, exceptions));
                Summary summary = push.await();
                assertThat(summary.kind()).as("%s", summary).isEqualTo(FailureKind.VERSION);
                assertThat(summary.message()).contains("twice");
                link.close();
            }
        }
    }

    /** A trusted server that was taken over, or an attacker on the control channel, requests the data without TLS. */
    @Test
    void cannotDisableTls() throws Exception {
        try (TransferJob push = start(TestPlan.push(source + "/", "/x").lanes(1))) {
            server.open(TransferMessage.OpenTransfer.class, 1, true);
            Summary summary = push.await();
            assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(summary.message()).contains("without TLS");
        }
        try (TransferJob push = start(TestPlan.push(source + "/", "/x").lanes(2))) {
            server.open(TransferMessage.OpenTransfer.class, 900, false);
            Summary summary = push.await();
            assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(summary.message()).contains("more lanes");
        }
        assertThat(server.lanes).isEmpty();
    }

    @Test
    void cannotImpersonateAnotherServer() throws Exception {
        IssuedKey key = IssuedKey.of("k", Permission.ALL, null);
        String another = ServerAccess.of(Identity.create(), key).toLine();
        TransferPlan plan = TestPlan.push(source + "/", "/x").at(server.port());
        try (TransferJob push =
                Fdt.at(directory.resolve("no-home")).withKey(another).copy(plan, TransferObserver.NONE)) {
            Summary summary = push.await();
            assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
        }
        assertThat(server.lanes).isEmpty();
    }

    /** Text from a server reaches a terminal, so control characters are made visible first. */
    @Test
    void cannotSteerTheTerminal() throws Exception {
        try (TransferJob push = start(TestPlan.push(source + "/", "/x").lanes(1))) {
            RawLink link = server.accept(TransferMessage.OpenTransfer.class);
            link.send(new SessionMessage.Failed(
                    Failure.of(Cause.ofExitCode(7), "no\u001b[2J\u001b]0;owned\u0007\nfdt: copied 3 files\u202e")));
            Summary summary = push.await();
            assertThat(summary.message()).endsWith(": no\\u{1B}[2J\\u{1B}]0;owned\\u{7} fdt: copied 3 files\\u{202E}");
        }
    }

    /** A sum is printed with its path as it is, as the coreutils do, so every path must be one that the user wrote. */
    @Test
    void cannotAnswerForAPathThatWasNotRequested() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        OperationObserver observer = new OperationObserver() {
            @Override
            public void onEntry(ListObserver.Entry entry, byte[] digest, @Nullable String doubt) {
                told.add(entry.path().text());
            }

            @Override
            public void onFailed(RawPath path, Failure why) {
                told.add(path.text());
            }
        };
        FileOperation sum =
                new FileOperation(FileOperation.Action.SUM, List.of(RawPath.ofText("x")), false, FileHash.SHA256);
        try (Operations operations = Fdt.at(directory.resolve("home-that-is-not-there"))
                .withKey(keyLine)
                .operations("127.0.0.1", server.port(), 30_000)) {
            Running<OperationSummary> running = operations.start(sum, observer);
            RawLink link = server.open(FileMessage.OpenFiles.class, 0, false);
            for (String path : List.of("x", "\u001b[2J")) {
                link.send(new FileMessage.Found(
                        1, List.of(new CheckedEntry(RawPath.ofText(path), Frames.file(path, 1), new byte[32], null))));
            }
            link.send(new FileMessage.Ended(1, null));

            OperationSummary summary = running.await();

            assertThat(told).containsExactly("x");
            assertThat(summary.kind()).isEqualTo(FailureKind.VERSION);
            assertThat(summary.message()).contains("was not requested").doesNotContain("\u001b");
        }
    }

    /** What a program reads is what the server's files have, or the read fails. */
    @ParameterizedTest
    @ValueSource(strings = {"damaged", "more", "less", "no file", "flood"})
    void cannotPassOnOtherDataThanItAnnounced(String attack) throws Exception {
        List<byte[]> got = new CopyOnWriteArrayList<>();
        CountDownLatch taken = new CountDownLatch(attack.equals("flood") ? 1 : 0);
        OperationObserver observer = new OperationObserver() {
            @Override
            public void onEntry(ListObserver.Entry entry, byte[] digest, @Nullable String doubt) {}

            @Override
            public void onFailed(RawPath path, Failure why) {}

            @Override
            public void onData(byte[] bytes) {
                Await.until("the flood is over", taken);
                got.add(bytes);
            }
        };
        FileOperation read =
                new FileOperation(FileOperation.Action.READ, List.of(RawPath.ofText("x")), false, DigestKind.NONE);
        try (Operations operations = Fdt.at(directory.resolve("home-that-is-not-there"))
                .withKey(keyLine)
                .operations("127.0.0.1", server.port(), 30_000)) {
            Running<OperationSummary> running = operations.start(read, observer);
            RawLink link = server.open(FileMessage.OpenFiles.class, 0, false);
            byte[] bytes = {1, 2, 3};
            byte[] digest = DigestKind.XXH3_128.of(attack.equals("damaged") ? new byte[] {1, 2, 4} : bytes);
            if (!attack.equals("no file")) {
                link.send(new FileMessage.Found(
                        1, List.of(CheckedEntry.found(Frames.file("x", attack.equals("less") ? 4 : 3)))));
            }
            for (int i = 0; i < (attack.equals("more") ? 2 : attack.equals("flood") ? 12 : 1); i++) {
                link.send(new FileMessage.Data(1, bytes, digest));
            }
            if (!attack.equals("flood")) {
                link.send(new FileMessage.Ended(1, null));
            }
            if (attack.equals("flood")) {
                Await.until("the session ends", link::isClosed);
                taken.countDown();
            }

            OperationSummary summary = running.await();

            assertThat(summary.kind())
                    .isEqualTo(attack.equals("damaged") ? FailureKind.INTEGRITY : FailureKind.VERSION);
            assertThat(got.size()).isLessThanOrEqualTo(1);
        }
    }

    /** Names with line ends, escapes and quotes are one line and one text: sha256sum and JSON read them as they are. */
    @Test
    void cannotForgeLinesOfAManifestOrAReceipt() throws Exception {
        List<String> names = List.of(
                "plain",
                "a\n" + "0".repeat(64) + "  forged",
                "b\r\n",
                "c\\n",
                "d\"},{\"path\":\"forged",
                "\u001b[2J",
                "\\" + "0".repeat(64) + "  e",
                "*f",
                " g");
        Path manifest = target.resolve("manifest");
        Path receipt = target.resolve("receipt");
        try (TransferJob pull = start(
                TestPlan.pull("/anything/", target).lanes(1).receipt(receipt).manifest(FileHash.SHA256, manifest))) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.SourceShape(false));
            link.send(new TransferMessage.ManifestPage(
                    0,
                    names.stream().map(name -> Frames.file(name, EVIL.length)).toList()));
            assertThat(HostileClient.required(link.next(TransferMessage.Verdicts.class))
                            .exceptions())
                    .isEmpty();
            RawLane lane = onlyLane();
            for (int id = 0; id < names.size(); id++) {
                lane.send(Frames.chunk(server.sessionId, id, 0, EVIL));
            }
            int done = 0;
            while (done < names.size()) {
                done += HostileClient.required(link.next(TransferMessage.FilesDone.class))
                        .fileIds()
                        .length;
            }
            link.send(new TransferMessage.Finish(10, 0, "none\n\u001b[2J", 0));
            HostileClient.required(link.next(TransferMessage.Finished.class));
            link.leave();
            lane.close();
            assertThat(pull.await().failure()).isNull();
        }
        assertThat(Files.readAllLines(manifest)).hasSize(names.size());
        Process check = new ProcessBuilder("sha256sum", "--check", "--strict", "--quiet", "manifest")
                .directory(target.toFile())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(check.waitFor()).isZero();
        String told = Files.readString(receipt);
        assertThat(told).doesNotContain("\u001b");
        List<String> paths = ((List<?>) Json.object(told).get("files"))
                .stream()
                        .map(file -> String.valueOf(((Map<?, ?>) file).get("path")))
                        .toList();
        assertThat(paths).containsExactlyInAnyOrderElementsOf(names);
    }

    /** A manifest without an end: the user's own limit ends it, and memory stays bounded until then. */
    @Test
    void cannotFillTheClientWithEntries() throws Exception {
        try (TransferJob pull = start(TestPlan.pull("/anything/", target).lanes(1))) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.SourceShape(false));
            int id = 0;
            while (!link.isClosed() && id < 2_000_000) {
                List<FileEntry> page = new ArrayList<>();
                for (int i = 0; i < 1024; i++) {
                    page.add(Frames.file("f" + (id + i), 1));
                }
                link.send(new TransferMessage.ManifestPage(id, page));
                id += page.size();
                if (id % 32_768 == 0) {
                    Await.until("it is taken", () -> link.isClosed() || link.queuedBytes() < 4 << 20);
                }
            }
            Summary summary = pull.await();
            assertThat(summary.kind()).as("%s", summary).isNotNull().isNotEqualTo(FailureKind.INTERNAL);
            assertThat(id).isLessThan(2_000_000);
        }
    }

    /** A copy ends when all offered entries are settled; the server's message alone does not end it. */
    @Test
    void cannotEndAPushBeforeItsFilesAreInPlace() throws Exception {
        try (TransferJob push = start(TestPlan.push(source + "/", "/x").lanes(1))) {
            RawLink link = server.open(TransferMessage.OpenTransfer.class, 1, false);
            link.send(new TransferMessage.Finished(0, 0, 0, 0, 0, null, "none", 0, false));
            assertThat(HostileClient.required(link.next(SessionMessage.Failed.class))
                            .why()
                            .exitCode())
                    .isEqualTo(FailureKind.VERSION.exitCode());
            link.close();
            assertThat(push.await().kind()).isEqualTo(FailureKind.VERSION);
        }
    }

    /** The entries of another side come so slowly that nobody takes what this one sends. */
    @Test
    void cannotFillTheHeapWithEndOfListMessages() throws Exception {
        VerifyPlan plan = VerifyPlan.trees(
                VerifyPlan.Side.at("127.0.0.1", server.port(), "/silent"),
                VerifyPlan.Side.at("127.0.0.1", server.port(), "/loud"));
        try (VerifyJob job = Fdt.at(directory.resolve("home-that-is-not-there"))
                .withKey(keyLine)
                .verify(plan)) {
            RawLink silent = server.open(VerifyMessage.OpenVerify.class, 0, false);
            RawLink loud = server.open(VerifyMessage.OpenVerify.class, 0, false);
            loud.send(new VerifyMessage.VerifyEnd());
            loud.send(new VerifyMessage.VerifyEnd());
            assertThat(loud.next(SessionMessage.Failed.class)).isNotNull();
            silent.close();
            assertThat(job.await().kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        }
    }
}
