package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.basic.Right;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A copy that has a file open completes, whatever the sessions of another client do with the names of its files, as
 * long as they end at some time.
 */
class HeldFilesTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    /** The first file of the copy, of which all but the last leaf has arrived when the other client acts. */
    private static final int FIRST_LEAVES = 12;

    private static final int SMALL_LEAVES = 2;
    private static final List<String> NAMES = List.of("first", "second", "third", "empty");
    private static final int IDLE_MS = 1_000;
    private static final int STEPS = 12;
    private static final int SEEDS = 8;

    @TempDir
    Path directory;

    private Path home;
    private Path root;
    private TestServer server;
    private IssuedKey key;
    private final List<HostileClient> clients = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        server = new TestServer(home, root);
        key = key("copying", EnumSet.of(Right.LIST, Right.READ, Right.WRITE));
    }

    @AfterEach
    void stop() {
        clients.forEach(HostileClient::close);
        server.close();
    }

    private IssuedKey key(String name, Set<Right> rights) throws IOException {
        return new KeyStore(home).create(name, new Permission(rights, false, List.of()), null);
    }

    private HostileClient client(IssuedKey with) throws IOException {
        HostileClient made = new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), with));
        clients.add(made);
        return made;
    }

    /** A session that pushes files by hand. */
    static final class Push {
        final HostileClient client;
        final HostileClient.Opened open;
        final List<FileEntry> entries = new ArrayList<>();
        final RawLane[] lanes = new RawLane[2];
        private final Set<Integer> done = new HashSet<>();
        private int decided;

        Push(HostileClient client) throws InterruptedException {
            this(client, HostileClient.push("/"));
        }

        Push(HostileClient client, ControlMessage request) throws InterruptedException {
            this.client = client;
            this.open = client.open(request);
            open.link().send(new TransferMessage.SourceShape(false));
        }

        /** Returns when the server has decided about the files. */
        void offer(FileEntry... files) throws InterruptedException {
            int first = entries.size();
            entries.addAll(List.of(files));
            open.link().send(new TransferMessage.ManifestPage(first, List.of(files)));
            await("verdicts", () -> decided == entries.size());
        }

        private void await(String what, BooleanSupplier until) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Await.LIMIT_MS);
            while (!until.getAsBoolean()) {
                ControlMessage message = open.link().poll(20);
                if (message instanceof TransferMessage.Verdicts verdicts) {
                    decided += verdicts.count();
                } else if (message instanceof TransferMessage.FilesDone files) {
                    Arrays.stream(files.fileIds()).forEach(done::add);
                } else if (message instanceof TransferMessage.FileFailed failed) {
                    throw new AssertionError("a file has failed: " + failed);
                } else if (message instanceof SessionMessage.Failed failed) {
                    throw new AssertionError(
                            "the session has failed: " + failed.why().text());
                } else if (message == null) {
                    assertThat(open.link().isClosed()).as("closed").isFalse();
                    assertThat(System.nanoTime()).as("no %s", what).isLessThan(deadline);
                }
            }
        }

        void leaves(int lane, int file, int from, int to) {
            if (lanes[lane] == null) {
                byte[] proof = HostileClient.proof(open.session(), lane, 0);
                lanes[lane] = client.lane(open.session(), lane, 0, proof, false);
            }
            for (int leaf = from; leaf < to; leaf++) {
                byte[] content = new byte[LEAF];
                Arrays.fill(content, (byte) leaf);
                lanes[lane].send(Frames.chunk(open.session().sessionId(), file, (long) leaf * LEAF, content));
            }
        }

        void leave() {
            open.link().leave();
        }

        /** Waits until these files are in place. */
        void awaitDone(Set<Integer> files) throws InterruptedException {
            await("end of " + files, () -> done.containsAll(files));
        }

        void expectBusy() throws InterruptedException {
            assertThat(open.link().next(SessionMessage.Failed.class))
                    .extracting(failed -> failed.why().exitCode())
                    .isEqualTo(FailureKind.BUSY.exitCode());
        }
    }

    private static FileEntry file(String name) {
        return Frames.file(
                name, name.equals("empty") ? 0 : (name.equals("first") ? FIRST_LEAVES : SMALL_LEAVES) * LEAF);
    }

    private void awaitOpen(String name) {
        Path partial =
                root.resolve(PartialNames.of(RawPath.ofText(name)).partial().toString());
        Await.until(name + " is open", () -> Files.exists(partial));
    }

    /** Begins a copy of a file, and returns when it is open. */
    private Push begun() throws Exception {
        Push copy = new Push(client(key));
        copy.offer(file("first"));
        copy.leaves(0, 0, 0, FIRST_LEAVES - 1);
        awaitOpen("first");
        return copy;
    }

    private static Stream<Set<Right>> writers() {
        return Stream.of(EnumSet.of(Right.APPEND), EnumSet.of(Right.WRITE), EnumSet.allOf(Right.class));
    }

    @ParameterizedTest
    @MethodSource("writers")
    void anOlderSessionDoesNotEndACopyByOfferingItsFile(Set<Right> rights) throws Exception {
        Push older = new Push(client(key("other", rights)));
        Push copy = begun();

        older.offer(file("first"));
        older.leaves(0, 0, 0, 1);

        older.expectBusy();
        copy.leaves(0, 0, FIRST_LEAVES - 1, FIRST_LEAVES);
        copy.awaitDone(Set.of(0));
        assertThat(server.warnings)
                .anyMatch(line -> line.contains("the key other") && line.contains("the key copying"));
    }

    @Test
    void aNameThatWasOnlyOfferedIsFree() throws Exception {
        Push naming = new Push(client(key("other", EnumSet.of(Right.APPEND))));
        naming.offer(file("first"), file("second"), file("third"));
        for (String name : NAMES) {
            Path source = Files.write(
                    directory.resolve(name), new byte[(int) file(name).sizeBytes()]);
            assertThat(server.run(TestPlan.push(source, "/" + name)).failure()).isNull();
        }
    }

    /** The copy waits for a file that another one opened before, though it could have ended at once. */
    @Test
    void aCopyThatHasBegunWaitsForAFileOfAnotherKey() throws Exception {
        Push other = new Push(client(key("other", EnumSet.of(Right.WRITE))));
        other.offer(file("second"));
        other.leaves(0, 0, 0, 1);
        awaitOpen("second");
        Push copy = begun();
        copy.offer(file("second"));
        copy.leaves(1, 1, 0, SMALL_LEAVES);
        copy.leaves(0, 0, FIRST_LEAVES - 1, FIRST_LEAVES);
        copy.awaitDone(Set.of(0));
        Await.until(
                "both keys in the log",
                () -> server.warnings.stream()
                        .anyMatch(line -> line.contains("the key copying")
                                && line.contains("waits for")
                                && line.contains("is being written by the key other")));
        other.leave();
        copy.awaitDone(Set.of(1));
    }

    /** Each has a file that the other one needs: the one that has received less ends, though it is older. */
    @Test
    void ofTwoCopiesThatNeedEachOthersFilesOneCompletes() throws Exception {
        Push less = new Push(client(key("other", EnumSet.of(Right.WRITE))));
        less.offer(file("second"), file("first"));
        less.leaves(0, 0, 0, 1);
        awaitOpen("second");
        Push copy = begun();
        copy.offer(file("second"));
        less.leaves(1, 1, 0, 1);
        copy.leaves(1, 1, 0, SMALL_LEAVES);

        less.expectBusy();
        copy.leaves(0, 0, FIRST_LEAVES - 1, FIRST_LEAVES);
        copy.awaitDone(Set.of(0, 1));
    }

    /** Its client is there and says so, but sends nothing of the file. */
    @Test
    void aSessionThatAchievesNothingGivesItsFileUp() throws Exception {
        HostileClient slow = client(key("other", EnumSet.of(Right.WRITE)));
        Push idle = new Push(slow, HostileClient.silentFor(IDLE_MS, HostileClient.push("/")));
        idle.offer(file("first"));
        idle.leaves(0, 0, 0, 1);
        awaitOpen("first");
        Path source = Files.write(
                directory.resolve("first"), new byte[(int) file("first").sizeBytes()]);
        Await.until("the file is free", () -> {
            idle.open.link().send(new SessionMessage.Heartbeat(0));
            return runs(source);
        });
    }

    private boolean runs(Path source) {
        try {
            return server.run(TestPlan.push(source, "/first")).failure() == null;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Stream<Arguments> others() {
        List<Arguments> all = new ArrayList<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            all.add(Arguments.of(EnumSet.of(Right.LIST, Right.READ), seed));
            all.add(Arguments.of(EnumSet.of(Right.LIST, Right.APPEND), seed));
            all.add(Arguments.of(EnumSet.of(Right.LIST, Right.READ, Right.WRITE), seed));
            // With the same key; also where the files are there already.
            all.add(Arguments.of(null, seed));
        }
        return all.stream();
    }

    /** Random sequences of what another client may do: it offers, opens, stops and leaves, and never completes. */
    @ParameterizedTest
    @MethodSource("others")
    void nothingThatAnotherClientDoesEndsACopy(@Nullable Set<Right> rights, int seed) throws Exception {
        Random random = new Random(seed);
        boolean isThere = random.nextBoolean();
        for (String name : isThere ? NAMES : List.<String>of()) {
            Files.writeString(root.resolve(name), "before");
        }
        HostileClient other = client(rights == null ? key : key("other", rights));
        List<Push> pushes = new ArrayList<>();
        int olderSessions = rights == null ? 0 : random.nextInt(3);
        for (int i = 0; i < olderSessions; i++) {
            act(random, other, pushes);
        }
        Push copy = begun();
        for (int step = 0; step < STEPS; step++) {
            act(random, other, pushes);
            if (step == STEPS / 2) {
                copy.offer(file("second"), file("empty"), file("third"));
                copy.leaves(1, 1, 0, SMALL_LEAVES);
                copy.leaves(1, 3, 0, SMALL_LEAVES);
            }
        }
        copy.leaves(0, 0, FIRST_LEAVES - 1, FIRST_LEAVES);
        copy.awaitDone(Set.of(0));
        pushes.forEach(Push::leave);
        copy.awaitDone(Set.of(1, 2, 3));
        for (String name : NAMES) {
            assertThat(root.resolve(name)).hasSize(file(name).sizeBytes());
        }
    }

    private static void act(Random random, HostileClient other, List<Push> pushes) throws InterruptedException {
        try {
            if (pushes.isEmpty() || random.nextInt(4) == 0) {
                pushes.add(new Push(other));
                return;
            }
            Push push = pushes.get(random.nextInt(pushes.size()));
            if (random.nextInt(8) == 0) {
                push.leave();
            } else if (push.entries.isEmpty() || random.nextInt(3) == 0) {
                List<String> rest = new ArrayList<>(NAMES.subList(0, 3));
                push.entries.forEach(entry -> rest.remove(entry.path().toString()));
                if (!rest.isEmpty()) {
                    push.offer(file(rest.get(random.nextInt(rest.size()))));
                }
            } else {
                push.leaves(random.nextInt(2), random.nextInt(push.entries.size()), 0, 1);
            }
        } catch (TransferException | AssertionError refused) {
            // The server may have ended the session, and may refuse one that this key does not permit.
        }
    }
}
