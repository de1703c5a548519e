package io.fdt.system;

import io.fdt.core.Fdt;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListJob;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.Operations;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.stream.ThroughputSuite;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.JobEnd;
import io.fdt.core.security.AddressRules;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.verify.VerifyPlan.Side;
import io.fdt.monitor.Monitor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A program that opens and closes servers, sessions of all kinds and watchers in several rounds. Ends with 1, and says
 * which threads there are more of, unless there are as many of each name as after the first two rounds.
 */
final class OpenAndClose {
    private static final int ROUNDS = 6;
    private static final long LIMIT_MS = 120_000;
    private static final byte[] WATCH =
            "GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Path directory;
    private final Path tree;
    private final Path root;
    private final Fdt fdt;
    private int round;

    private OpenAndClose(Path directory) throws IOException {
        this.directory = directory;
        this.tree = Files.createDirectories(directory.resolve("tree"));
        this.root = Files.createDirectories(directory.resolve("root"));
        this.fdt = Fdt.at(directory.resolve("home"));
        Files.write(tree.resolve("big"), new byte[3 << 20]);
        Files.write(tree.resolve("small"), new byte[100]);
    }

    public static void main(String[] args) throws Exception {
        OpenAndClose here = new OpenAndClose(Path.of(args[0]));
        here.openAndClose();
        here.openAndClose();
        Map<String, Long> before = threads();
        for (int round = 0; round < ROUNDS; round++) {
            here.openAndClose();
        }
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
        while (!more(before).isEmpty() && System.nanoTime() - until < 0) {
            Thread.sleep(20);
        }
        Map<String, Long> left = more(before);
        System.out.println("more threads than after two rounds: " + left);
        Runtime.getRuntime().halt(left.isEmpty() ? 0 : 1);
    }

    /** Returns the number of threads by their names without digits. */
    private static Map<String, Long> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .collect(Collectors.groupingBy(
                        thread -> thread.getName().replaceAll("[0-9]+", "N"), TreeMap::new, Collectors.counting()));
    }

    private static Map<String, Long> more(Map<String, Long> before) {
        Map<String, Long> now = threads();
        now.entrySet().removeIf(each -> each.getValue() <= before.getOrDefault(each.getKey(), 0L));
        return now;
    }

    private void openAndClose() throws Exception {
        round++;
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Monitor monitor = new Monitor(new Monitor.Settings(
                        "server",
                        new Monitor.Page(free, null, AddressRules.ANY),
                        List.of(),
                        directory.resolve("recording"),
                        null,
                        text -> {},
                        Path.of("/")));
                Serving server = fdt.serve(ServerSettings.of(root));
                Socket watcher = new Socket(free.getAddress(), monitor.address().getPort())) {
            monitor.watchServer(Map::of, List.of(root));
            watcher.getOutputStream().write(WATCH);
            int port = server.address().getPort();
            copy(port);
            look(port);
            // Closed in the middle.
            try (TransferJob endless = fdt.copy(push(port, "/endless").with(CopyValue.RATE_LIMIT, 100_000L))) {
                require(!endless.await(Duration.ofMillis(1)));
            }
        }
    }

    private TransferPlan push(int port, String target) {
        return TransferPlan.push(tree, "localhost", port, target).lanes(3).with(CopyValue.EXISTING, Existing.OVERWRITE);
    }

    private void copy(int port) throws InterruptedException {
        Path pulled = directory.resolve("pulled" + round);
        Path copied = directory.resolve("copied" + round);
        List<TransferPlan> plans = List.of(
                push(port, "/pushed/"),
                TransferPlan.pull("localhost", port, "/pushed", pulled),
                TransferPlan.of(TransferPlan.Direction.PUSH, List.of(RawPath.of(tree)), RawPath.of(copied)));
        for (TransferPlan plan : plans) {
            try (TransferJob job = fdt.copy(plan)) {
                requireSuccess(job.await());
            }
        }
        try (TransferJob missing = fdt.copy(TransferPlan.pull("localhost", port, "/missing", pulled))) {
            require(missing.await().failure() != null);
        }
        try (TransferJob refused = Fdt.at(directory.resolve("stranger")).copy(push(port, "/refused"))) {
            throw new AssertionError("a stranger got " + refused.await());
        } catch (TransferException noKey) {
            require(noKey.kind() == FailureKind.REFUSED);
        }
    }

    private void look(int port) throws InterruptedException {
        Side there = Side.at("localhost", port, "/pushed/tree");
        try (VerifyJob check = fdt.verify(VerifyPlan.trees(Side.here(tree), there))) {
            requireSuccess(check.await());
        }
        ListPlan plan = new ListPlan("localhost", port, RawPath.ofText("/pushed"), true, true, LIMIT_MS);
        try (ListJob list = fdt.list(plan, new Ignored())) {
            requireSuccess(list.await());
        }
        FileOperation sum =
                new FileOperation(Action.SUM, List.of(RawPath.ofText("/pushed/tree/big")), false, DigestKind.XXH3_128);
        try (Operations operations = fdt.operations("localhost", port, LIMIT_MS)) {
            requireSuccess(operations.start(sum, new Ignored()).await());
        }
        try (NettestJob test =
                fdt.nettest(ThroughputSuite.plan("localhost", port, 2, Direction.OUT, Duration.ofMillis(100)))) {
            requireSuccess(test.await());
        }
    }

    private static void requireSuccess(JobEnd end) {
        if (end.failure() != null) {
            throw new AssertionError(end);
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("the round did not go as planned");
        }
    }

    private static final class Ignored implements ListObserver, OperationObserver {
        @Override
        public void onEntry(Entry entry) {}

        @Override
        public void onEntry(Entry entry, byte[] digest, @Nullable String doubt) {}

        @Override
        public void onSpace(Space space) {}

        @Override
        public void onFailed(RawPath path, Failure why) {}
    }
}
