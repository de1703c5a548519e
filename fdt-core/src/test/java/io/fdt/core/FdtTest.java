package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.plan.Zeros;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The library's facade over real sockets and files, with both ends in this process. */
class FdtTest {
    private static final TransferPlan RULES = Rules.of(
            TargetRules.Existing.SKIP_SAME,
            TargetRules.Comparison.TIME,
            TargetRules.Durability.END,
            true,
            EnumSet.of(TargetRules.Preserve.MODE, TargetRules.Preserve.TIMES, TargetRules.Preserve.LINKS));

    private static final TransferPlan COMPARING = Rules.of(
            TargetRules.Existing.SKIP_SAME,
            TargetRules.Comparison.DIGEST,
            TargetRules.Durability.END,
            true,
            RULES.get(CopyValue.PRESERVE));

    @TempDir
    Path directory;

    private Path home;
    private Path source;
    private Path root;
    private Serving server;

    @BeforeEach
    void startServer() throws IOException {
        home = directory.resolve("home");
        source = Files.createDirectory(directory.resolve("source"));
        root = Files.createDirectory(directory.resolve("root"));
        server = serve(
                List.of(raw(root)),
                false,
                ServerLimits.builder().clearLanes(ClearLanes.ALLOW).build());
    }

    private Serving serve(List<RawPath> roots, boolean readOnly, ServerLimits limits) {
        return Fdt.at(home)
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(roots, readOnly),
                                limits,
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
                        ServerObserver.NONE);
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    @Test
    void pushesATree() throws Exception {
        fillTree();

        Summary summary = run(plan(Direction.PUSH, source + "/", "/copy", 3));

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(contents(root.resolve("copy"))).isEqualTo(contents(source));
        assertThat(summary.files().inPlace()).isEqualTo(4);
        assertThat(summary.bytes().inPlace())
                .isEqualTo(summary.bytes().moved().sent())
                .isEqualTo(20_000_000 + 5 + 131_072);
        assertThat(summary.digest()).startsWith("xxh3-128:");
    }

    @Test
    void pullsATree() throws Exception {
        fillTree();
        Files.move(source, root.resolve("source"));

        Summary summary =
                run(plan(Direction.PULL, "/source/", directory.resolve("pulled").toString(), 3));

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(contents(directory.resolve("pulled"))).isEqualTo(contents(root.resolve("source")));
        assertThat(summary.bytes().moved().sent()).isEqualTo(20_000_000 + 5 + 131_072);
    }

    @Test
    void hasTheSameDigestForTheSameTreeWhateverTheLanesAndTheDirection() throws Exception {
        fillTree();
        Files.createDirectory(root.resolve("given"));

        Summary pushed = run(plan(Direction.PUSH, source + "/", "/a", 1));
        Summary pushedWide = run(plan(Direction.PUSH, source + "/", "/b", 5));
        Summary pulled = run(plan(Direction.PULL, "/a/", directory.resolve("c").toString(), 4));

        assertThat(pushedWide.digest()).isEqualTo(pushed.digest());
        assertThat(pulled.digest()).isEqualTo(pushed.digest());
    }

    @Test
    void movesNothingTheSecondTime() throws Exception {
        fillTree();
        run(plan(Direction.PUSH, source + "/", "/copy", 2));

        Summary again = run(plan(Direction.PUSH, source + "/", "/copy", 2));

        assertThat(again.failure()).isNull();
        assertThat(again.bytes().moved().sent()).isZero();
        assertThat(again.files().skipped()).isEqualTo(4);
    }

    @Test
    void givesASingleFileTheNameOfTheTarget() throws Exception {
        Files.writeString(source.resolve("a"), "hello");

        Summary summary = run(plan(Direction.PUSH, source.resolve("a").toString(), "/b", 2));

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(root.resolve("b")).hasContent("hello");
    }

    @Test
    void reportsMissingSource() throws Exception {
        Summary summary = run(plan(Direction.PUSH, source.resolve("none").toString(), "/b", 2));

        assertThat(summary.kind()).isEqualTo(FailureKind.SOURCE);
        assertThat(summary.message()).contains("none");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void reportsMissingRemoteSource() throws Exception {
        Summary summary =
                run(plan(Direction.PULL, "/none", directory.resolve("b").toString(), 2));

        assertThat(summary.kind()).as("%s", summary).isEqualTo(FailureKind.SOURCE);
        assertThat(summary.message()).contains("none");
    }

    @Test
    void refusesToWriteToAReadOnlyServer() throws Exception {
        Files.writeString(source.resolve("a"), "hello");
        server.close();
        server = serve(List.of(raw(root)), true, ServerLimits.DEFAULT);

        Summary summary = run(plan(Direction.PUSH, source.resolve("a").toString(), "/b", 2));

        assertThat(summary.kind()).as("%s", summary).isEqualTo(FailureKind.REFUSED);
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void refusesPathOutsideRoot() throws Exception {
        Files.writeString(directory.resolve("secret"), "canary");
        Files.createSymbolicLink(root.resolve("out"), directory);

        for (String path : List.of("/../secret", "/out/secret")) {
            Summary summary =
                    run(plan(Direction.PULL, path, directory.resolve("stolen").toString(), 1));

            assertThat(summary.failure()).as(path).isNotNull();
            assertThat(directory.resolve("stolen")).doesNotExist();
        }
    }

    @Test
    void sendsZerosForGivenTime() throws Exception {
        TransferPlan zeros = zeros(DigestKind.XXH3_128);

        Summary summary = run(zeros);

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.bytes().inPlace())
                .isPositive()
                .isEqualTo(summary.bytes().moved().sent());
        assertThat(summary.run().bottleneck()).isNotEqualTo("none");
    }

    @Test
    void sendsZerosWithoutHashing() throws Exception {
        TransferPlan zeros = zeros(DigestKind.NONE);

        Summary summary = run(zeros);

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.bytes().inPlace())
                .isPositive()
                .isEqualTo(summary.bytes().moved().sent());
        assertThat(summary.digest()).isNull();
    }

    @Test
    void comparesByDigestAndMovesOnlyWhatDiffers() throws Exception {
        fillTree();
        TransferPlan plan = with(plan(Direction.PUSH, source + "/", "/copy", 2), COMPARING, false, null);
        run(plan);
        Path big = root.resolve("copy/big");
        FileTime time = Files.getLastModifiedTime(big);
        Files.setLastModifiedTime(root.resolve("copy/leaf"), FileTime.fromMillis(0));
        try (FileChannel channel = FileChannel.open(big, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 12_345_678);
        }
        Files.setLastModifiedTime(big, time);

        Summary again = run(plan);

        assertThat(again.failure()).as("%s", again).isNull();
        assertThat(contents(root.resolve("copy"))).isEqualTo(contents(source));
        assertThat(again.files().skipped()).isEqualTo(3);
        assertThat(again.bytes().moved().sent()).isEqualTo(20_000_000);
    }

    @Test
    void changesNothingInADryRun() throws Exception {
        fillTree();

        Summary summary = run(with(plan(Direction.PUSH, source + "/", "/copy", 2), RULES, true, null));

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.bytes().moved().sent()).isZero();
        assertThat(root).isEmptyDirectory();
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    @Timeout(60)
    void comparesByDigestInADryRun(Direction direction) throws Exception {
        fillTree();
        TransferPlan push = plan(Direction.PUSH, source + "/", "/copy", 2);
        run(push);
        Path leaf = root.resolve("copy/leaf");
        FileTime time = Files.getLastModifiedTime(leaf);
        byte[] other = Files.readAllBytes(leaf);
        other[0]++;
        Files.write(leaf, other);
        Files.setLastModifiedTime(leaf, time);
        TransferPlan plan = direction == Direction.PUSH ? push : plan(Direction.PULL, "/copy/", source.toString(), 2);

        Summary dry = run(with(plan, COMPARING, true, null));

        assertThat(dry.failure()).as("%s", dry).isNull();
        assertThat(dry.preview().filesToReplace()).isEqualTo(1);
        assertThat(dry.files().skipped()).isEqualTo(3);
        assertThat(Files.readAllBytes(leaf)).isEqualTo(other);
    }

    @Test
    void writesAReceiptWithTheDigestOfEveryFile() throws Exception {
        fillTree();
        Path receipt = directory.resolve("receipt.json");

        Summary summary = run(with(plan(Direction.PUSH, source + "/", "/copy", 2), RULES, false, raw(receipt)));

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(receipt)
                .content()
                .contains("\"path\":\"d/small\"", summary.digest(), "\"outcome\":\"ok\"", "\"durable\":true");
    }

    /** Whatever ends a client: otherwise the server would wait for its return. */
    @Test
    void aClientThatEndsWithAnErrorLeavesNoSession() throws Exception {
        fillTree();
        TransferObserver broken = new TransferObserver() {
            @Override
            public void onActivity(SessionActivity session) {
                throw new AssertionError("of the test");
            }
        };
        try (TestServer other = new TestServer(home, root)) {
            TransferPlan plan = TransferPlan.push(source, "127.0.0.1", other.port(), "/copy")
                    .with(CopyValue.TIMEOUT_MS, TimeUnit.HOURS.toMillis(1));
            try (TransferJob copy = Fdt.at(home).copy(plan, broken)) {
                assertThat(copy.await().failure()).isNotNull();
            }
            Await.until("its session has ended", () -> !other.ended.isEmpty());
        }
    }

    @Test
    void failsWhereAReceiptCannotBeWritten() throws Exception {
        fillTree();
        RawPath nowhere = raw(directory.resolve("no/such/receipt"));

        Summary summary = run(with(plan(Direction.PUSH, source + "/", "/copy", 2), RULES, false, nowhere));

        assertThat(summary.kind()).isEqualTo(FailureKind.TARGET);
        assertThat(summary.message()).contains("receipt");
    }

    @Test
    void receiptRecordsThatTheManifestCouldNotBeWritten() throws Exception {
        fillTree();
        Path receipt = directory.resolve("receipt.json");
        Path sums = directory.resolve("SUMS");
        TransferPlan plan = TransferPlan.push(
                        source, "127.0.0.1", server.address().getPort(), "/copy")
                .contents()
                .with(CopyValue.RECEIPT, raw(receipt))
                .with(CopyValue.MANIFEST, new ManifestFile(FileHash.MD5, raw(sums)));
        Summary summary;
        try (TransferJob copy = Fdt.at(home).copy(plan, new TransferObserver() {
            @Override
            public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
                sums.resolve("in/the/way").toFile().mkdirs();
            }
        })) {
            summary = copy.await();
        }
        assertThat(summary.kind()).isEqualTo(FailureKind.TARGET);
        assertThat(summary.message()).contains("cannot write the manifest");
        assertThat(receipt).content().contains("\"outcome\":\"failed\"").doesNotContain("\"outcome\":\"ok\"");
    }

    /** Method: the source changes while the session runs, after the copy has found the file in place. */
    @Test
    void reportsFileThatCannotBeRehashed() throws Exception {
        fillTree();
        Path receipt = directory.resolve("receipt.json");
        Path sums = directory.resolve("SUMS");
        TransferPlan plan = TransferPlan.push(
                        source, "127.0.0.1", server.address().getPort(), "/copy")
                .contents()
                .with(CopyValue.RECEIPT, raw(receipt))
                .with(CopyValue.MANIFEST, new ManifestFile(FileHash.MD5, raw(sums)));
        assertThat(run(plan).failure()).isNull();
        assertThat(sums).content().contains("  d/small\n");
        Files.delete(receipt);
        Files.delete(sums);

        Summary again;
        try (TransferJob copy = Fdt.at(home).copy(plan, new TransferObserver() {
            @Override
            public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
                if (path.equals("d/small") && outcome == FileOutcome.SKIPPED) {
                    append(source.resolve(path));
                }
            }
        })) {
            again = copy.await();
        }

        assertThat(again.kind()).isEqualTo(FailureKind.SOME_FILES_FAILED);
        assertThat(again.message())
                .contains("d/small: was copied, but could not be hashed for the receipt: changed since it was listed");
        assertThat(again.files().failed()).isEqualTo(1);
        assertThat(receipt).content().contains("changed since it was listed\"");
        assertThat(sums).doesNotExist();
    }

    private static void append(Path file) {
        try {
            Files.write(file, new byte[] {1}, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void grantsNoMoreLanesThanItsLimit() throws Exception {
        fillTree();
        server.close();
        server = serve(
                List.of(raw(root)),
                false,
                ServerLimits.builder()
                        .sessions(4)
                        .lanesPerSession(2)
                        .clearLanes(ClearLanes.ALLOW)
                        .build());

        Summary summary = run(plan(Direction.PUSH, source + "/", "/copy", 16));

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.run().lanes()).isEqualTo(2);
        assertThat(contents(root.resolve("copy"))).isEqualTo(contents(source));
    }

    @Test
    void reachesEachOfSeveralRootsByItsName() throws Exception {
        Files.writeString(source.resolve("a"), "hello");
        Path other = Files.createDirectory(directory.resolve("other"));
        server.close();
        server = serve(List.of(raw(root), raw(other)), false, ServerLimits.DEFAULT);

        assertThat(run(plan(Direction.PUSH, source.resolve("a").toString(), "/other/b", 1))
                        .failure())
                .isNull();
        for (String nowhere : List.of("/othr/b", "/b", "/")) {
            Summary refused = run(plan(Direction.PUSH, source.resolve("a").toString(), nowhere, 1));
            assertThat(refused.kind()).as(nowhere).isEqualTo(FailureKind.REFUSED);
            assertThat(refused.message()).contains("begins with the name of one of them: /root, /other");
        }

        assertThat(other.resolve("b")).hasContent("hello");
        assertThat(root).isEmptyDirectory();
        String pulled = directory.resolve("pulled").toString();
        assertThat(run(plan(Direction.PULL, "/other/", pulled, 1)).failure()).isNull();
        assertThat(directory.resolve("pulled/b")).hasContent("hello");
        Summary unclear = run(plan(Direction.PULL, "/other", pulled, 1));
        assertThat(unclear.kind()).isEqualTo(FailureKind.USAGE);
        assertThat(unclear.message()).endsWith("/other: is an exported root; write /other/ to copy its contents");
    }

    private void fillTree() throws IOException {
        Random random = new Random(7);
        byte[] big = new byte[20_000_000];
        random.nextBytes(big);
        byte[] leaf = new byte[131_072];
        random.nextBytes(leaf);
        Files.write(source.resolve("big"), big);
        Files.write(source.resolve("leaf"), leaf);
        Files.createDirectories(source.resolve("d/e"));
        Files.writeString(source.resolve("d/small"), "hello");
        Files.createFile(source.resolve("d/empty"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("d/small"));
    }

    private static Map<String, String> contents(Path top) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(top)) {
            for (Path path : paths.toList()) {
                String what = Files.isSymbolicLink(path)
                        ? "-> " + Files.readSymbolicLink(path)
                        : Files.isDirectory(path) ? "directory" : Arrays.hashCode(Files.readAllBytes(path)) + "";
                contents.put(top.relativize(path).toString(), what);
            }
        }
        return contents;
    }

    private Summary run(TransferPlan plan) throws InterruptedException {
        try (TransferJob copy = Fdt.at(home).copy(plan, TransferObserver.NONE)) {
            return copy.await();
        }
    }

    /** More bytes of names than fit into one message. */
    @Test
    void pullsWhatALongListNames() throws Exception {
        Path many = Files.createDirectory(root.resolve("many"));
        List<RawPath> names = new ArrayList<>();
        for (int i = 0; i < 6000; i++) {
            String name = "n".repeat(200) + i;
            Files.createFile(many.resolve(name));
            if (i % 3 != 0) {
                names.add(RawPath.ofText(name));
            }
        }
        Path pulled = Files.createDirectory(directory.resolve("pulled"));

        Summary summary = run(plan(Direction.PULL, "/many", names, pulled.toString(), 2));

        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.files().inPlace()).isEqualTo(4000);
        try (Stream<Path> arrived = Files.list(pulled)) {
            assertThat(arrived.map(path -> RawPath.ofText(path.getFileName().toString())))
                    .hasSameElementsAs(names);
        }
    }

    private TransferPlan plan(Direction direction, String from, String to, int lanes) {
        return plan(direction, from, null, to, lanes);
    }

    private TransferPlan plan(Direction direction, String from, @Nullable List<RawPath> names, String to, int lanes) {
        return with(builder(direction, from, to, lanes).with(CopyValue.NAMES, names), RULES, false, null);
    }

    private TransferPlan builder(Direction direction, String from, String to, int lanes) {
        return TransferPlan.of(direction, List.of(RawPath.ofText(from)), RawPath.ofText(to))
                .at("127.0.0.1", server.address().getPort())
                .lanes(lanes)
                .with(CopyValue.CLEAR_LANES, lanes % 2 == 0)
                .with(CopyValue.CHUNK_BYTES, 1 << 20)
                .with(CopyValue.TIMEOUT_MS, 60_000L);
    }

    private TransferPlan zeros(DigestKind digest) {
        return builder(Direction.PUSH, "/dev/zero", "/dev/null", 2)
                .with(CopyValue.ZEROS, Zeros.lasting(Duration.ofMillis(300)))
                .with(CopyValue.DIGEST, digest);
    }

    private static TransferPlan with(TransferPlan plan, TransferPlan rules, boolean dryRun, @Nullable RawPath receipt) {
        return plan.with(CopyValue.EXISTING, rules.get(CopyValue.EXISTING))
                .with(CopyValue.COMPARE, rules.get(CopyValue.COMPARE))
                .with(CopyValue.DURABLE, rules.get(CopyValue.DURABLE))
                .with(CopyValue.PRESERVE, rules.get(CopyValue.PRESERVE))
                .with(CopyValue.DRY_RUN, dryRun)
                .with(CopyValue.RECEIPT, receipt);
    }

    private static RawPath raw(Path path) {
        return RawPath.ofText(path.toString());
    }
}
