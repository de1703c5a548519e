package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checksums of a copy are those of its whole files, however it came about. */
final class FdtChecksumsTest {
    private static final Set<FileHash> IN_FLIGHT = EnumSet.of(FileHash.ADLER32, FileHash.CRC32C, FileHash.CRC32);
    private static final String BIG = "big";

    @TempDir
    Path directory;

    private Path home;
    private Path source;
    private Path root;
    private Path receipt;
    private Serving server;

    @BeforeEach
    void startServer() throws IOException {
        home = directory.resolve("home");
        source = Files.createDirectory(directory.resolve("source"));
        root = Files.createDirectory(directory.resolve("root"));
        receipt = directory.resolve("receipt.json");
        server = Fdt.at(home)
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(List.of(RawPath.of(root)), false),
                                ServerLimits.builder().build(),
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
                        ServerObserver.NONE);
        fill(source);
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    /** A file of several chunks, one with holes, small ones that share a block, and an empty one. */
    private static void fill(Path top) throws IOException {
        Random random = new Random(46);
        byte[] big = new byte[20_000_003];
        random.nextBytes(big);
        Files.write(top.resolve(BIG), big);
        try (RandomAccessFile sparse =
                new RandomAccessFile(top.resolve("sparse").toFile(), "rw")) {
            sparse.setLength(30_000_001);
            sparse.seek(9_000_000);
            sparse.write(big, 0, 300_000);
        }
        for (int i = 0; i < 20; i++) {
            Files.write(top.resolve("small" + i), Arrays.copyOf(big, i * 777));
        }
    }

    private TransferPlan push() {
        return TransferPlan.push(source, "127.0.0.1", server.address().getPort(), "/copy")
                .contents()
                .with(CopyValue.CHECKSUMS, List.copyOf(IN_FLIGHT));
    }

    private static Map<String, Map<FileHash, String>> expected(Path top, Set<FileHash> kinds) throws IOException {
        Map<String, Map<FileHash, String>> all = new TreeMap<>();
        try (var files = Files.list(top)) {
            for (Path file : files.toList()) {
                Map<FileHash, String> each = new TreeMap<>();
                for (FileHash kind : kinds) {
                    FileHash.Running hash = kind.begin();
                    hash.update().accept(ByteBuffer.wrap(Files.readAllBytes(file)));
                    each.put(kind, HexFormat.of().formatHex(hash.finish().get()));
                }
                all.put(String.valueOf(file.getFileName()), each);
            }
        }
        return all;
    }

    /** Collects what an observer is told. */
    private static class Told implements TransferObserver {
        final Map<String, Map<FileHash, String>> checksums = new ConcurrentHashMap<>();

        @Override
        public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> told) {
            assertThat(checksums.put(path, new TreeMap<>(told)))
                    .as("%s is told once", path)
                    .isNull();
        }

        @Override
        public boolean wantsChecksumsOfSkipped() {
            return true;
        }
    }

    private Summary run(TransferPlan plan, TransferObserver observer) throws InterruptedException {
        try (TransferJob copy = Fdt.at(home).copy(plan, observer)) {
            return copy.await();
        }
    }

    private Told runAndTell(TransferPlan plan) throws InterruptedException {
        Told told = new Told();
        Summary summary = run(plan, told);
        assertThat(summary.failure()).as("%s", summary).isNull();
        return told;
    }

    @ParameterizedTest
    @EnumSource
    void areThoseOfTheWholeFilesInBothDirections(Direction direction) throws Exception {
        Path from = direction == Direction.PUSH ? source : Files.move(source, root.resolve("source"));
        TransferPlan plan = direction == Direction.PUSH
                ? push()
                : TransferPlan.pull("127.0.0.1", server.address().getPort(), "/source/", directory.resolve("pulled"))
                        .with(CopyValue.CHECKSUMS, List.copyOf(IN_FLIGHT));

        Told told = runAndTell(plan.lanes(3).with(CopyValue.RECEIPT, RawPath.of(receipt)));

        Map<String, Map<FileHash, String>> expected = expected(from, IN_FLIGHT);
        assertThat(told.checksums).isEqualTo(expected);
        assertThat(receipt).content().satisfies(text -> assertHas(text, expected));
        assertThat(expected.get("small0").values()).contains("00000001", "00000000");
    }

    private static void assertHas(String receipt, Map<String, Map<FileHash, String>> expected) {
        for (Map<FileHash, String> each : expected.values()) {
            for (Map.Entry<FileHash, String> sum : each.entrySet()) {
                assertThat(receipt).contains("\"" + sum.getKey().label() + "\":\"" + sum.getValue() + "\"");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "CRC32C", "SHA256"})
    void areComputedBesideAnyDigest(String digest) throws Exception {
        Told told = runAndTell(push().with(CopyValue.DIGEST, DigestKind.valueOf(digest)));

        assertThat(told.checksums).isEqualTo(expected(source, IN_FLIGHT));
    }

    @Test
    void areComputedInACopyWithinThisHost() throws Exception {
        Told told = runAndTell(TransferPlan.of(
                        Direction.PUSH, List.of(RawPath.ofText(source + "/")), RawPath.of(directory.resolve("local")))
                .with(CopyValue.CHECKSUMS, List.copyOf(IN_FLIGHT)));

        assertThat(told.checksums).isEqualTo(expected(source, IN_FLIGHT));
    }

    /** The run that is interrupted computes other checksums than the one that resumes it, or the same, or none. */
    @ParameterizedTest
    @ValueSource(strings = {"", "ADLER32", "ADLER32,CRC32C,CRC32"})
    void areThoseOfTheWholeFileAfterAResume(String first) throws Exception {
        Set<FileHash> kinds = EnumSet.noneOf(FileHash.class);
        for (String each : first.isEmpty() ? new String[0] : first.split(",")) {
            kinds.add(FileHash.valueOf(each));
        }
        TransferPlan plan = TransferPlan.push(
                        source.resolve(BIG), "127.0.0.1", server.address().getPort(), "/big")
                .with(CopyValue.CHUNK_BYTES, 128 << 10)
                .with(CopyValue.DURABLE, Durability.CHUNK)
                .lanes(2);
        try (TransferJob copy = Fdt.at(home)
                .copy(
                        plan.with(CopyValue.CHECKSUMS, List.copyOf(kinds)).with(CopyValue.RATE_LIMIT, 20_000_000L),
                        TransferObserver.NONE)) {
            Await.until(
                    "a part is durable", () -> copy.progress().bytes().moved().durable() > 1_000_000);
            copy.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
            assertThat(copy.await().kind()).isEqualTo(FailureKind.INTERRUPTED);
        }

        Told told = new Told();
        Summary resumed =
                run(plan.with(CopyValue.CHECKSUMS, List.copyOf(IN_FLIGHT)).with(CopyValue.RATE_LIMIT, 0L), told);

        assertThat(resumed.failure()).as("%s", resumed).isNull();
        assertThat(resumed.bytes().resumed()).isGreaterThanOrEqualTo(1_000_000);
        assertThat(told.checksums.get(BIG))
                .isEqualTo(expected(source, IN_FLIGHT).get(BIG));
    }

    /** Method: the sources lose their content, but not their size and time, so whoever reads them finds out. */
    @Test
    void ofSkippedFilesComeFromTheEarlierReceipt() throws Exception {
        TransferPlan plan = push().with(CopyValue.RECEIPT, RawPath.of(receipt));
        runAndTell(plan);
        Map<String, Map<FileHash, String>> expected = expected(source, IN_FLIGHT);
        FileTime time = Files.getLastModifiedTime(source.resolve(BIG));
        Files.write(source.resolve(BIG), new byte[20_000_003]);
        Files.setLastModifiedTime(source.resolve(BIG), time);

        Told again = runAndTell(plan);

        assertThat(again.checksums).isEqualTo(expected);
        assertThat(receipt).content().satisfies(text -> assertHas(text, expected));
    }

    @Test
    void ofSkippedFilesAreReadIfNoReceiptHasThem() throws Exception {
        runAndTell(push().with(CopyValue.CHECKSUMS, List.copyOf(Set.of(FileHash.ADLER32)))
                .with(CopyValue.RECEIPT, RawPath.of(receipt)));

        Told again = runAndTell(push().with(CopyValue.RECEIPT, RawPath.of(receipt)));

        assertThat(again.checksums).isEqualTo(expected(source, IN_FLIGHT));
        assertThat(receipt).content().satisfies(text -> assertHas(text, expected(source, IN_FLIGHT)));
    }

    @Test
    void ofSkippedFilesAreNotReadIfNobodyWantsThem() throws Exception {
        runAndTell(push());
        Map<String, Map<FileHash, String>> told = new ConcurrentHashMap<>();

        Summary again = run(push(), new TransferObserver() {
            @Override
            public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> sums) {
                told.put(path, sums);
            }
        });

        assertThat(again.failure()).isNull();
        assertThat(told).hasSize(22).allSatisfy((path, sums) -> assertThat(sums).isEmpty());
    }

    /** Method: each source is gone as soon as it is copied. */
    @Test
    void fillAManifestFileWithoutReadingAgain() throws Exception {
        Map<String, Map<FileHash, String>> expected = expected(source, IN_FLIGHT);
        Path manifest = directory.resolve("SUMS");
        TransferPlan plan = push().with(CopyValue.CHECKSUMS, List.copyOf(Set.of()))
                .with(CopyValue.MANIFEST, new ManifestFile(FileHash.ADLER32, RawPath.of(manifest)));

        Summary summary = run(plan, new TransferObserver() {
            @Override
            public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> sums) {
                assertThat(source.resolve(path).toFile().delete()).isTrue();
            }
        });

        assertThat(summary.failure()).as("%s", summary).isNull();
        List<String> lines = expected.entrySet().stream()
                .map(each -> each.getValue().get(FileHash.ADLER32) + "  " + each.getKey())
                .toList();
        assertThat(manifest).content().isEqualTo(String.join("\n", lines) + "\n");
    }

    /** These need the bytes in order, so the files are read again. */
    @Test
    void includeHashesOverBytesInOrderInTheReceipt() throws Exception {
        Set<FileHash> kinds = EnumSet.of(FileHash.MD5, FileHash.SHA256, FileHash.CRC32);
        Path manifest = directory.resolve("SUMS");

        runAndTell(push().with(CopyValue.CHECKSUMS, List.copyOf(kinds))
                .with(CopyValue.MANIFEST, new ManifestFile(FileHash.MD5, RawPath.of(manifest)))
                .with(CopyValue.RECEIPT, RawPath.of(receipt)));

        Map<String, Map<FileHash, String>> expected = expected(source, kinds);
        assertThat(receipt).content().satisfies(text -> assertHas(text, expected));
        assertThat(manifest).content().contains(expected.get(BIG).get(FileHash.MD5) + "  big\n");
    }

    @Test
    void verifyATreeWhoseReceiptHasNoDigests() throws Exception {
        runAndTell(push().with(CopyValue.DIGEST, DigestKind.NONE).with(CopyValue.RECEIPT, RawPath.of(receipt)));
        VerifyPlan plan = VerifyPlan.receipt(VerifyPlan.Side.here(root.resolve("copy")), receipt);
        try (var same = Fdt.at(home).verify(plan, VerifyObserver.NONE)) {
            assertThat(same.await().exitCode()).isZero();
        }
        byte[] changed = Files.readAllBytes(root.resolve("copy/big"));
        changed[5_000_000] ^= 1;
        Files.write(root.resolve("copy/big"), changed);
        try (var different = Fdt.at(home).verify(plan, VerifyObserver.NONE)) {
            assertThat(different.await().exitCode()).isEqualTo(FailureKind.INTEGRITY.exitCode());
        }
    }
}
