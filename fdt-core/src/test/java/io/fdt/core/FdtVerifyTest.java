package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.verify.VerifySummary;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verification through the library's facade, over real sockets and files, with both ends in this process. */
class FdtVerifyTest {
    @TempDir
    Path directory;

    private final CountDownLatch sessionEnded = new CountDownLatch(1);
    private Path root;
    private Path tree;
    private Serving server;

    @BeforeEach
    void startServer() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        tree = Files.createDirectory(directory.resolve("tree"));
        server = Fdt.at(directory.resolve("home"))
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(List.of(raw(root)), true),
                                ServerLimits.DEFAULT,
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
                        new EndHeard());
    }

    @AfterEach
    void stopServer() {
        server.close();
    }

    /**
     * Goal: exactly the damaged paths are reported, with real trees both here and at a server. Method: a random tree of
     * small and large files, a copy of it, and random damage to the copy.
     */
    @Test
    void reportsDamagedFilesOnBothSides() throws Exception {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        for (int round = 0; round < 6; round++) {
            Path left = Files.createDirectory(directory.resolve("left" + round));
            Path right = Files.createDirectory(root.resolve("right" + round));
            List<Path> made = randomTree(random, left, right);
            Told clean = run(trees(here(left), there("/right" + round)));
            assertThat(clean.findings).as("seed %s, round %s", seed, round).isEmpty();
            assertThat(clean.summary.failure()).isNull();

            Map<String, String> expected = new TreeMap<>();
            for (Path path : made) {
                if (random.nextInt(4) == 0) {
                    expected.put(path.toString(), damage(right.resolve(path), random));
                }
            }

            Told local = run(trees(here(left), here(right)));
            Told remote = run(trees(here(left), there("/right" + round + "/")));
            Told both = run(trees(there("/right" + round), there("/right" + round)));
            assertThat(local.findings).as("seed %s, round %s", seed, round).isEqualTo(expected);
            assertThat(remote.findings).as("seed %s, round %s", seed, round).isEqualTo(expected);
            assertThat(local.summary.digest())
                    .isEqualTo(remote.summary.digest())
                    .isEqualTo(clean.summary.digest());
            assertThat(both.summary.failure()).isNull();
            assertThat(remote.summary.kind()).isEqualTo(expected.isEmpty() ? null : FailureKind.INTEGRITY);
        }
    }

    private static List<Path> randomTree(Random random, Path left, Path right) throws IOException {
        List<Path> files = new ArrayList<>();
        List<Path> directories = new ArrayList<>(List.of(Path.of("")));
        for (int i = 0; i < 60; i++) {
            Path path = directories.get(random.nextInt(directories.size())).resolve("n" + i);
            if (random.nextInt(4) == 0) {
                Files.createDirectory(left.resolve(path));
                Files.createDirectory(right.resolve(path));
                directories.add(path);
            } else {
                byte[] bytes = new byte[random.nextInt(10) == 0 ? 9_000_000 + i : random.nextInt(300_000)];
                random.nextBytes(bytes);
                Files.write(left.resolve(path), bytes);
                Files.write(right.resolve(path), bytes);
                files.add(path);
            }
        }
        return files;
    }

    private static String damage(Path path, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        switch (random.nextInt(3)) {
            case 0 -> {
                Files.delete(path);
                return "MISSING";
            }
            case 1 -> {
                Files.delete(path);
                Files.createDirectory(path);
                return "DIFFERENT";
            }
            default -> {
                if (bytes.length == 0) {
                    bytes = new byte[1];
                } else {
                    bytes[random.nextInt(bytes.length)] ^= 1;
                }
                Files.write(path, bytes);
                return "DIFFERENT";
            }
        }
    }

    @Test
    void distinguishesExtraPathsLinksAndMetadata() throws Exception {
        Path other = Files.createDirectory(root.resolve("other"));
        for (Path each : List.of(tree, other)) {
            Files.writeString(each.resolve("same"), "x");
            Files.setLastModifiedTime(each.resolve("same"), FileTime.fromMillis(5));
            Files.createSymbolicLink(each.resolve("link"), Path.of(each.equals(tree) ? "a" : "b"));
            Files.writeString(each.resolve("mode"), "x");
            Files.setLastModifiedTime(each.resolve("mode"), FileTime.fromMillis(5));
        }
        Files.setPosixFilePermissions(other.resolve("mode"), PosixFilePermissions.fromString("r--------"));
        Files.setPosixFilePermissions(tree.resolve("mode"), PosixFilePermissions.fromString("rw-------"));
        Files.createDirectories(other.resolve("more/inside"));

        Told told = run(trees(here(tree), there("/other")));
        assertThat(told.findings)
                .containsExactly(
                        Map.entry("link", "DIFFERENT"), Map.entry("more", "EXTRA"), Map.entry("more/inside", "EXTRA"));
        assertThat(told.summary.differences().extra()).isEqualTo(2);
        assertThat(told.summary.files()).isEqualTo(2);

        VerifyPlan plain = trees(here(tree.resolve("mode")), there("/other/same"));
        assertThat(run(plain).summary.failure()).isNull();
        VerifyPlan metadata = with(trees(here(tree.resolve("mode")), there("/other/mode")), true, false);
        assertThat(run(metadata).details).containsExactly("mode 0600 and 0400");
    }

    @Test
    void readsFromTheDeviceOnBothSides() throws Exception {
        Path copy = Files.createDirectory(root.resolve("copy"));
        byte[] bytes = new byte[20_000_001];
        new Random(3).nextBytes(bytes);
        for (Path each : List.of(tree, copy)) {
            Files.write(each.resolve("big"), bytes);
            Files.createFile(each.resolve("empty"));
        }
        Told cached = run(trees(here(tree), there("/copy")));
        Told device = run(with(trees(here(tree), there("/copy")), false, true));

        assertThat(device.summary.failure()).as("%s", device.details).isNull();
        assertThat(device.summary.digest()).isEqualTo(cached.summary.digest());
        assertThat(device.warnings.size()).as("one for each side at most").isLessThanOrEqualTo(2);
    }

    @Test
    void verifiesAReceiptWhereTheCopyPutItsFiles() throws Exception {
        server.close();
        server = Fdt.at(directory.resolve("home"))
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(List.of(raw(root)), false),
                                ServerLimits.DEFAULT,
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
                        new EndHeard());
        Files.createDirectories(tree.resolve("d/e"));
        Files.writeString(tree.resolve("d/a"), "aaa");
        Files.writeString(tree.resolve("d/e/b"), "bbb");
        Files.createSymbolicLink(tree.resolve("d/l"), Path.of("a"));
        Files.createDirectories(root.resolve("in/already"));
        Path receipt = directory.resolve("receipt.json");
        Summary pushed = push(tree + "/d", "/in", receipt);

        Told clean = run(receipt(there("/in"), receipt, false));
        assertThat(clean.findings).isEmpty();
        assertThat(clean.summary.digest()).isNotNull().isEqualTo(pushed.digest());
        assertThat(clean.summary.files()).isEqualTo(2);
        assertThat(run(with(receipt(here(root.resolve("in")), receipt, false), true, false)).findings)
                .isEmpty();

        Files.writeString(root.resolve("in/d/a"), "aab");
        Files.delete(root.resolve("in/d/l"));
        Files.createSymbolicLink(root.resolve("in/d/l"), Path.of("b"));
        Files.delete(root.resolve("in/d/e/b"));
        Map<String, String> expected =
                new TreeMap<>(Map.of("d/a", "DIFFERENT", "d/l", "DIFFERENT", "d/e/b", "MISSING"));
        assertThat(run(receipt(there("/in"), receipt, false)).findings).isEqualTo(expected);
        assertThat(run(receipt(here(root.resolve("in")), receipt, false)).findings)
                .isEqualTo(expected);
        expected.put("already", "EXTRA");
        assertThat(run(receipt(there("/in/"), receipt, true)).findings).isEqualTo(expected);
        assertThat(run(receipt(here(root.resolve("in")), receipt, true)).findings)
                .isEqualTo(expected);
    }

    @Test
    void verifiesTheReceiptOfASingleFileUnderItsNewName() throws Exception {
        stopServer();
        server = Fdt.at(directory.resolve("home"))
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(List.of(raw(root)), false),
                                ServerLimits.DEFAULT,
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
                        new EndHeard());
        Files.writeString(tree.resolve("a"), "aaa");
        Path receipt = directory.resolve("receipt.json");
        push(tree + "/a", "/renamed", receipt);

        assertThat(run(receipt(there("/renamed"), receipt, true)).summary.failure())
                .isNull();
        Files.writeString(root.resolve("renamed"), "aaaa");
        assertThat(run(receipt(there("/renamed"), receipt, false)).details).containsExactly("size 3 and 4");
        Files.delete(root.resolve("renamed"));
        assertThat(run(receipt(there("/renamed"), receipt, false)).summary.kind())
                .isEqualTo(FailureKind.SOURCE);
    }

    @Test
    void reportsWhyItCannotVerify() throws Exception {
        assertThat(run(trees(here(tree), there("/none"))).summary.kind()).isEqualTo(FailureKind.SOURCE);
        assertThat(run(trees(here(tree.resolve("none")), here(tree))).summary.kind())
                .isEqualTo(FailureKind.SOURCE);
        assertThat(run(trees(here(tree), there("/../tree"))).summary.kind()).isEqualTo(FailureKind.REFUSED);
        Files.createSymbolicLink(root.resolve("out"), Path.of(".."));
        assertThat(run(trees(here(tree), there("/out/tree"))).summary.kind()).isEqualTo(FailureKind.REFUSED);
        server.close();
        assertThat(run(trees(here(tree), there("/"))).summary.kind()).isEqualTo(FailureKind.CANNOT_CONNECT);
    }

    @Test
    void stopsOnBothSidesWhenTheClientIsInterrupted() throws Exception {
        // Holes are read at memory speed: this takes the server minutes.
        for (int i = 0; i < 200; i++) {
            Path sparse = root.resolve("sparse" + i);
            try (var file = new java.io.RandomAccessFile(sparse.toFile(), "rw")) {
                for (int chunk = 0; chunk < 400; chunk++) {
                    file.seek((long) chunk << 23);
                    file.write(1);
                }
            }
        }
        Told told = new Told();
        VerifySummary summary;
        try (VerifyJob check = Fdt.at(directory.resolve("home")).verify(trees(here(tree), there("/")), told)) {
            assertThat(told.started.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            check.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
            summary = check.await();
        }

        assertThat(summary.kind()).isEqualTo(FailureKind.INTERRUPTED);
        assertThat(sessionEnded.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                .as("the server has noticed")
                .isTrue();
        assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
                .noneMatch(name -> name.startsWith("fdt-hash-") || name.equals("fdt-walk"));
    }

    private Summary push(String source, String target, Path receipt) throws InterruptedException {
        TransferPlan plan = TransferPlan.of(Direction.PUSH, List.of(RawPath.ofText(source)), RawPath.ofText(target))
                .at("127.0.0.1", server.address().getPort())
                .lanes(2)
                .with(CopyValue.DIGEST, DigestKind.SHA256)
                .with(CopyValue.CHUNK_BYTES, 1 << 20)
                .with(CopyValue.TIMEOUT_MS, 60_000L)
                .with(CopyValue.RECEIPT, raw(receipt));
        try (TransferJob copy = Fdt.at(directory.resolve("home")).copy(plan, TransferObserver.NONE)) {
            Summary summary = copy.await();
            assertThat(summary.failure()).as("%s", summary).isNull();
            return summary;
        }
    }

    private Told run(VerifyPlan plan) throws InterruptedException {
        Told told = new Told();
        try (VerifyJob check = Fdt.at(directory.resolve("home")).verify(plan, told)) {
            told.summary = check.await();
        }
        return told;
    }

    private static VerifyPlan.Side here(Path path) {
        return new VerifyPlan.Side(null, 0, raw(path), path.toString());
    }

    private VerifyPlan.Side there(String path) {
        return new VerifyPlan.Side("127.0.0.1", server.address().getPort(), RawPath.ofText(path), path);
    }

    private static VerifyPlan trees(VerifyPlan.Side tree, VerifyPlan.Side other) {
        return new VerifyPlan(tree, other, false, false, DigestKind.XXH3_128, 2, Await.LIMIT_MS);
    }

    private static VerifyPlan receipt(VerifyPlan.Side tree, Path receipt, boolean extras) {
        return new VerifyPlan(
                tree,
                new VerifyPlan.ListFile(raw(receipt), extras),
                false,
                false,
                DigestKind.XXH3_128,
                2,
                Await.LIMIT_MS);
    }

    private static VerifyPlan with(VerifyPlan plan, boolean metadata, boolean device) {
        return new VerifyPlan(
                plan.tree(), plan.expected(), metadata, device, plan.digest(), plan.threads(), plan.timeoutMs());
    }

    private static RawPath raw(Path path) {
        return RawPath.ofText(path.toString());
    }

    private static final class Told implements VerifyObserver {
        final Map<String, String> findings = new TreeMap<>();
        final List<String> details = new ArrayList<>();
        final List<String> warnings = new ArrayList<>();
        final CountDownLatch started = new CountDownLatch(1);
        VerifySummary summary = new VerifySummary(null, 0, 0, VerifySummary.Differences.NONE, 0, null);

        @Override
        public void onStart(String tree, String against, String digest) {
            started.countDown();
        }

        @Override
        public void onDifference(String path, Finding finding, @Nullable String detail) {
            findings.put(path, finding.name());
            details.addAll(Stream.ofNullable(detail).toList());
        }

        @Override
        public synchronized void onWarning(String message) {
            warnings.add(message);
        }
    }

    private final class EndHeard implements ServerObserver {
        @Override
        public void onSessionStart(String session, String peer, String key, String what) {
            assertThat(what).isNotBlank();
        }

        @Override
        public void onSessionEnd(String session, String peer, String key, Summary summary) {
            sessionEnded.countDown();
        }

        @Override
        public void onRefused(String peer, String why) {
            throw new AssertionError(why);
        }
    }
}
