package io.fdt.core.hostile;

import io.fdt.core.Fdt;
import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Real senders, receivers and servers against peers that send valid messages in a wrong order. After every round the
 * honest end must have finished, within its deadline, with a result that is not one of our bugs. No thread may have
 * died, and nothing outside the root or target may have changed. At the end the server must have no session left and
 * must serve an honest client.
 */
public final class SessionFuzz implements AutoCloseable {
    public static final String NAME = "session";

    private static final int MAX_STEPS = 24;
    private static final int SILENCE_MS = 400;
    /** Long enough to connect on a busy machine. */
    private static final int CLIENT_SILENCE_MS = 2_000;

    private enum Role {
        SERVER_RECEIVES,
        SERVER_SENDS,
        SERVER_VERIFIES,
        SERVER_LISTS,
        SERVER_OPERATES,
        CLIENT_RECEIVES,
        CLIENT_SENDS
    }

    private static final List<Role> ROLES = List.of(Role.values());

    private final Path place;
    private final Path root;
    private final Path target;
    private final Path source;
    private final TestServer server;
    private final HostileClient client;
    private final Identity hostileIdentity = Identity.create();
    private final String hostileKey;
    private final Map<String, String> before;
    private final Queue<String> uncaught = new ConcurrentLinkedQueue<>();
    private final Thread.@Nullable UncaughtExceptionHandler formerHandler;
    private final Map<Role, Long> rounds = new EnumMap<>(Role.class);
    private final Map<String, Long> ends = new TreeMap<>();
    private int unopened;

    private SessionFuzz(Path place) throws IOException {
        this.place = place;
        root = Files.createDirectories(place.resolve("outside/root"));
        target = Files.createDirectories(place.resolve("outside/target"));
        source = Files.createDirectories(place.resolve("source/d"));
        for (Path each : new Path[] {root, target}) {
            Files.createSymbolicLink(each.resolve("out"), Path.of(".."));
        }
        Files.writeString(place.resolve("outside/canary"), "canary");
        for (Path each : new Path[] {Files.createDirectory(root.resolve("served")), source}) {
            Files.writeString(each.resolve("small"), "hello");
            Files.write(each.resolve("large"), new byte[3 * 128 * 1024 + 7]);
            Files.createFile(each.resolve("empty"));
            Files.createSymbolicLink(each.resolve("link"), Path.of("small"));
        }
        Path home = place.resolve("home");
        server = new TestServer(home, root);
        IssuedKey key = new KeyStore(home).create("hostile", Permission.READ_WRITE, null);
        client = new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), key));
        hostileKey = ServerAccess.of(hostileIdentity, IssuedKey.of("k", Permission.ALL, null))
                .toLine();
        formerHandler = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) -> uncaught.add(thread.getName() + ": " + stackOf(failure)));
        before = outside();
    }

    private static String stackOf(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        for (StackTraceElement each : failure.getStackTrace()) {
            text.append("\n    at ").append(each);
        }
        return text.toString();
    }

    /**
     * Runs this many rounds, or as many as fit before the deadline. Round n is round 0 of seed + n.
     *
     * @param place an empty directory, or one that does not exist yet
     * @return a readable summary
     * @throws AssertionError for the first round that broke a rule
     */
    public static String run(Path place, long seed, int maxRounds, long deadlineNanos)
            throws IOException, InterruptedException {
        try (SessionFuzz fuzz = new SessionFuzz(Files.createDirectories(place))) {
            int round = 0;
            while (round < maxRounds && System.nanoTime() - deadlineNanos < 0) {
                try {
                    fuzz.round(new SplittableRandom(seed + round));
                } catch (IOException | RuntimeException | AssertionError failure) {
                    throw new AssertionError(
                            "session: replay with seed " + (seed + round) + ": " + failure.getMessage(), failure);
                }
                round++;
                if (round % 64 == 0) {
                    fuzz.requireUnharmed();
                }
            }
            fuzz.requireUnharmed();
            if (fuzz.unopened > 1 + round / 10) {
                throw new AssertionError(fuzz.unopened + " of " + round + " rounds got no session");
            }
            return String.format("%-16s %,12d executions, %s, ends %s", NAME, round, fuzz.rounds, fuzz.ends);
        }
    }

    private void round(SplittableRandom random) throws IOException, InterruptedException {
        Disorder disorder = new Disorder(random);
        Role role = ROLES.get(random.nextInt(ROLES.size()));
        rounds.merge(role, 1L, Long::sum);
        switch (role) {
            case SERVER_RECEIVES ->
                asClient(
                        HostileClient.silentFor(SILENCE_MS, HostileClient.push("/in/")),
                        disorder,
                        disorder::ofSender,
                        true);
            case SERVER_SENDS ->
                asClient(
                        HostileClient.silentFor(SILENCE_MS, HostileClient.pull("/served/")),
                        disorder,
                        disorder::ofReceiver,
                        false);
            case SERVER_VERIFIES ->
                asClient(
                        new VerifyMessage.OpenVerify(
                                RawPath.ofText("/served"),
                                DigestKind.XXH3_128,
                                false,
                                disorder.once(2),
                                disorder.once(4),
                                2,
                                SILENCE_MS),
                        disorder,
                        disorder::ofVerifier,
                        false);
            case SERVER_LISTS ->
                asClient(
                        new VerifyMessage.OpenList(
                                RawPath.ofText(disorder.once(4) ? "" : "/"),
                                disorder.once(2),
                                disorder.once(2),
                                SILENCE_MS,
                                null),
                        disorder,
                        disorder::ofVerifier,
                        false);
            case SERVER_OPERATES ->
                asClient(
                        new FileMessage.OpenFiles(SILENCE_MS, disorder.once(2) ? disorder.operate(1) : null),
                        disorder,
                        disorder::ofOperator,
                        false);
            case CLIENT_RECEIVES ->
                asServer(TestPlan.pull("/anything/", target).lanes(2), disorder, disorder::ofSender, true);
            case CLIENT_SENDS ->
                asServer(TestPlan.push(source + "/", "/x/").lanes(2), disorder, disorder::ofReceiver, false);
        }
        if (!uncaught.isEmpty()) {
            throw new AssertionError("a thread died: " + uncaught.peek());
        }
    }

    /** Connects a client that keeps no order to the server under test. */
    private void asClient(ControlMessage request, Disorder disorder, Supplier<ControlMessage> messages, boolean sends)
            throws InterruptedException {
        int endedBefore = server.ended.size();
        RawLink link = client.authenticated();
        link.send(request);
        SessionMessage.Opened session = link.next(SessionMessage.Opened.class);
        if (session == null) {
            // On a busy machine it was silent for too long before it could begin.
            unopened++;
            link.close();
            return;
        }
        RawLane[] lanes = new RawLane[2];
        if (sends && !disorder.once(8)) {
            link.send(new TransferMessage.SourceShape(disorder.once(2)));
            link.send(disorder.page());
        }
        for (int step = disorder.upTo(MAX_STEPS); step > 0 && !link.isClosed(); step--) {
            int lane = disorder.upTo(2);
            switch (disorder.upTo(8)) {
                case 0, 1 -> {
                    if (lanes[lane] == null && request instanceof TransferMessage.OpenTransfer) {
                        lanes[lane] = client.lane(session, lane, 0, HostileClient.proof(session, lane, 0), false);
                    }
                }
                case 2, 3 -> {
                    if (lanes[lane] != null && (sends || disorder.once(8))) {
                        lanes[lane].send(disorder.frame(session.sessionId()));
                    }
                }
                case 4 -> link.poll(disorder.upTo(10));
                case 5 -> {
                    if (disorder.once(12)) {
                        RawLink next = client.reattach(session, disorder.upTo(4));
                        link.close();
                        link = next;
                    }
                }
                default -> sendOne(link, disorder, messages);
            }
        }
        leave(link, disorder);
        for (RawLane lane : lanes) {
            if (lane != null) {
                lane.close();
            }
        }
        Await.until("the session has ended", () -> server.ended.size() > endedBefore);
        for (Summary summary = server.ended.poll(); summary != null; summary = server.ended.poll()) {
            requireExpected(summary);
        }
    }

    private static void sendOne(RawLink link, Disorder disorder, Supplier<ControlMessage> messages) {
        byte[] message = disorder.encoded(messages.get());
        for (int times = disorder.once(6) ? 2 : 1; message != null && times > 0; times--) {
            link.sendBytes(message);
        }
    }

    /**
     * Leaves the session, mostly with a goodbye. The server waits a long time for a client that leaves without one, so
     * this is rare.
     */
    private static void leave(RawLink link, Disorder disorder) {
        if (!disorder.once(16)) {
            link.send(new SessionMessage.Leaving());
        }
        link.close();
    }

    /** Connects the client under test to a server that keeps no order. */
    private void asServer(TestPlan plan, Disorder disorder, Supplier<ControlMessage> messages, boolean sends)
            throws InterruptedException {
        try (HostileServer hostile = new HostileServer(hostileIdentity)) {
            TransferPlan whole = plan.timeoutMs(CLIENT_SILENCE_MS).at(hostile.port());
            try (TransferJob copy =
                    Fdt.at(place.resolve("no-home")).withKey(hostileKey).copy(whole, TransferObserver.NONE)) {
                keepNoOrder(hostile, disorder, messages, sends);
                requireExpected(endOf(copy));
            }
        }
    }

    private static void keepNoOrder(
            HostileServer hostile, Disorder disorder, Supplier<ControlMessage> messages, boolean sends)
            throws InterruptedException {
        RawLink link;
        try {
            link = hostile.open(TransferMessage.OpenTransfer.class, 2, false);
        } catch (AssertionError tooSlow) {
            // On a machine that is this busy the client gives up first. It must still end properly.
            return;
        }
        if (sends && !disorder.once(8)) {
            link.send(new TransferMessage.SourceShape(disorder.once(2)));
            link.send(disorder.page());
        } else if (!sends && !disorder.once(4)) {
            link.next(TransferMessage.ManifestPage.class);
        }
        for (int step = disorder.upTo(MAX_STEPS); step > 0 && !link.isClosed(); step--) {
            switch (disorder.upTo(8)) {
                case 0, 1, 2 -> {
                    int count = hostile.lanes.size();
                    if (count > 0 && (sends || disorder.once(8))) {
                        hostile.lanes.get(disorder.upTo(count)).send(disorder.frame(hostile.sessionId));
                    }
                }
                case 3 -> link.poll(disorder.upTo(10));
                default -> sendOne(link, disorder, messages);
            }
        }
        leave(link, disorder);
    }

    private static Summary endOf(TransferJob copy) throws InterruptedException {
        if (!copy.await(Duration.ofSeconds(Await.LIMIT_SECONDS))) {
            throw new AssertionError("the client does not end");
        }
        return copy.await();
    }

    private void requireExpected(Summary summary) {
        ends.merge(String.valueOf(summary.kind()), 1L, Long::sum);
        if (summary.kind() == FailureKind.INTERNAL) {
            throw new AssertionError("ended with a bug: " + summary);
        }
        for (Summary.FailedFile failed : summary.files().firstFailed()) {
            if (failed.failure().kind() == FailureKind.INTERNAL) {
                throw new AssertionError("a file failed with a bug: " + failed);
            }
        }
    }

    private void requireUnharmed() throws IOException, InterruptedException {
        Map<String, String> now = outside();
        if (!now.equals(before)) {
            throw new AssertionError("outside has changed: " + now + ", it was " + before);
        }
        Await.until(
                "no thread of a session is left",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("fdt-session-")
                                || thread.getName().startsWith("fdt-flusher-")
                                || thread.getName().equals("fdt-verify-send")));
        Path honest = Files.writeString(place.resolve("honest"), "hello " + System.nanoTime());
        Summary summary = server.run(TestPlan.push(honest, "/honest"));
        Await.until("the server has seen the end, too", () -> !server.ended.isEmpty());
        server.ended.clear();
        if (summary.failure() != null || Files.mismatch(honest, root.resolve("honest")) != -1) {
            throw new AssertionError("an honest client is not served: " + summary);
        }
    }

    /** Returns everything outside the root and the target, with contents and mode. */
    private Map<String, String> outside() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(place)) {
            for (Path path : paths.filter(this::isOutside).toList()) {
                boolean file = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) && Files.size(path) < 1000;
                found.put(
                        path.toString(),
                        (file ? Files.readString(path) : "") + " "
                                + Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
            }
        }
        return found;
    }

    private boolean isOutside(Path path) {
        return !path.startsWith(root)
                && !path.startsWith(target)
                && !path.startsWith(place.resolve("home"))
                && !path.equals(place.resolve("honest"));
    }

    @Override
    public void close() {
        Thread.setDefaultUncaughtExceptionHandler(formerHandler);
        client.close();
        server.close();
    }
}
