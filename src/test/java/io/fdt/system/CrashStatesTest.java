package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import io.fdt.system.RecordedDisk.Loss;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cuts the power during and after copies to real file systems. A {@link RecordedDisk} records what the file system
 * writes to its device; then each test mounts states that a power cut may have left, checks the promises, and runs the
 * same copy again. {@code scripts/soak} has hundreds of states, {@code -Dfdt.seed=…} replays the choice of options and
 * states, though not the timing of the copy.
 */
@Tag("fault")
@Order(3)
final class CrashStatesTest {
    private static final int STATES = Integer.getInteger("fdt.crash.states", 6);
    private static final long SEED = Long.getLong("fdt.seed", 1);
    /** The beginning of their names. */
    private static final String SCENARIOS = System.getProperty("fdt.crash.scenarios", "");

    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private enum Way {
        PUSH,
        PULL,
        LOCAL
    }

    /** What is copied, and what happens to the copy. */
    private enum Scenario {
        COPY,
        /** The client is killed half way, and the copy runs again. */
        RERUN,
        DELETE,
        REMOVE_SOURCE,
        NOT_FLUSHED,
        /** And the tree gets another name, under which the copy runs again. */
        NOT_FLUSHED_AND_MOVED,
        /** The device fails in the middle, is repaired, and the copy runs again. */
        DEVICE_FAILS,
        /** The file system becomes read-only in the middle, is mounted anew, and the copy runs again. */
        READ_ONLY;

        boolean isStoppedByDisk() {
            return this == DEVICE_FAILS || this == READ_ONLY;
        }

        boolean flushes() {
            return this != NOT_FLUSHED && this != NOT_FLUSHED_AND_MOVED;
        }

        List<String> options() {
            return switch (this) {
                case COPY, RERUN, DEVICE_FAILS, READ_ONLY -> List.of();
                case DELETE -> List.of("--delete");
                case REMOVE_SOURCE -> List.of("--remove-source");
                case NOT_FLUSHED, NOT_FLUSHED_AND_MOVED -> List.of("--durable", "none");
            };
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs"})
    void aFileIsLostUntilItIsFlushed(String fileSystem) throws IOException {
        RecordedDisk disk = RecordedDisk.of(at, fileSystem);
        Path file = Trees.file(at.path("file"), 3 * MIB, 1);
        Shell.ok("cp", file, disk.top().resolve("flushed"));
        Shell.ok("sync", disk.top().resolve("flushed"));
        int flushed = disk.position();
        Shell.ok("cp", file, disk.top().resolve("unflushed"));
        Shell.ok("mv", disk.top().resolve("unflushed"), disk.top().resolve("moved"));
        int position = disk.position();
        int end = disk.unmount();
        for (int cut : new int[] {flushed, position}) {
            disk.mountState(cut, Loss.DROPPED, 1);
            Trees.assertSameFile(file, disk.stateTop().resolve("flushed"));
            // It differs, or is not there.
            assertThat(Shell.run("cmp", file, disk.stateTop().resolve("moved")).exitCode())
                    .isIn(1, 2);
            disk.forgetState();
        }
        disk.mountState(end, Loss.KEPT, 1);
        Trees.assertSameFile(file, disk.stateTop().resolve("moved"));
    }

    @ParameterizedTest
    @CsvSource({
        "ext4, PUSH, REMOVE_SOURCE",
        "ext4, PULL, RERUN",
        "xfs, PUSH, DELETE",
        "xfs, PULL, DEVICE_FAILS",
        "btrfs, LOCAL, RERUN",
        "ext4, PUSH, NOT_FLUSHED_AND_MOVED",
        "ext4, PUSH, READ_ONLY"
    })
    void noPowerCutBreaksAPromise(String fileSystem, Way way, Scenario scenario) throws Exception {
        new Run(fileSystem, way, scenario).go();
    }

    static Stream<Arguments> everything() {
        return Stream.of("ext4", "xfs", "btrfs")
                .flatMap(fileSystem -> Stream.of(Scenario.values())
                        .filter(scenario -> scenario.name().startsWith(SCENARIOS))
                        .flatMap(scenario -> Stream.of(Way.values())
                                .filter(way -> way != Way.PULL || scenario != Scenario.REMOVE_SOURCE)
                                .filter(way -> !fileSystem.equals("btrfs") || scenario != Scenario.READ_ONLY)
                                .map(way -> Arguments.of(fileSystem, way, scenario))));
    }

    @ParameterizedTest
    @MethodSource("everything")
    @Tag("full")
    @Timeout(value = 4, unit = TimeUnit.HOURS)
    void noPowerCutBreaksAPromiseAnywhere(String fileSystem, Way way, Scenario scenario) throws Exception {
        new Run(fileSystem, way, scenario).go();
    }

    /** One recorded copy, with its reruns. */
    private final class Run {
        private final String name;
        private final Way way;
        private final Scenario scenario;
        private final RecordedDisk disk;
        private final Random random;
        private final List<Object> options = new ArrayList<>();
        /** The source, as it was at first. */
        private final Path pristine = at.path("pristine/tree");

        private final Path older = at.path("older/tree");
        private final Path source = at.path("source/tree");
        private final long chunkBytes;
        private final long totalBytes;
        /** The bytes that the client has reported as acknowledged, by the position at which they were. */
        private final TreeMap<Integer, Long> acknowledged = new TreeMap<>();
        /** The position at which each source file was gone. */
        private final Map<Path, Integer> removed = new HashMap<>();

        private int begin;
        /** The position at which the client had ended with 0. */
        private int exit;

        private volatile boolean copied;

        Run(String fileSystem, Way way, Scenario scenario) throws IOException {
            this.name = fileSystem + " " + way + " " + scenario;
            this.way = way;
            this.scenario = scenario;
            this.disk = RecordedDisk.of(at, fileSystem);
            this.random = new Random(SEED + name.hashCode());
            options.addAll(scenario.options());
            options.addAll(List.of("-P", 3, "--rate-limit", "8MiB"));
            this.chunkBytes = (256L << 10) << random.nextInt(6);
            options.addAll(List.of("--chunk-size", chunkBytes));
            options.addAll(List.of("--direct-io", random.nextBoolean() ? "always" : "auto"));
            if (scenario.flushes() && random.nextBoolean()) {
                options.addAll(List.of("--durable", "chunk"));
            }
            this.totalBytes = makeTrees();
        }

        private long makeTrees() throws IOException {
            Trees.file(pristine.resolve("big"), 13 * MIB + random.nextInt(MIB), 1);
            Trees.file(pristine.resolve("a/middle"), 3 * MIB, 2);
            Trees.manyFiles(pristine.resolve("many"), 80, 5000 + random.nextInt(20_000));
            Files.createSymbolicLink(pristine.resolve("link"), Path.of("a/middle"));
            Shell.ok("chmod", "640", pristine.resolve("a/middle"));
            Shell.ok("touch", "-d", "2020-01-01T01:02:03.123456789Z", pristine.resolve("big"), pristine.resolve("a"));
            Trees.file(older.resolve("big"), 5 * MIB, 3);
            Trees.file(older.resolve("a/middle"), 3 * MIB, 4);
            Trees.manyFiles(older.resolve("many"), 40, 700);
            Trees.manyFiles(older.resolve("extra"), 10, 700);
            Files.createDirectories(source.getParent());
            Shell.ok("cp", "-a", pristine, source);
            long bytes = 0;
            for (Path file : FinalNames.files(pristine)) {
                bytes += Files.size(file);
            }
            return bytes;
        }

        void go() throws Exception {
            Path target = Files.createDirectory(disk.top().resolve("in"));
            if (scenario == Scenario.DELETE) {
                Shell.ok("cp", "-a", older, target);
            }
            Shell.ok("sync", "-f", target);
            begin = disk.position();
            record(target);
            exit = disk.position();
            int end = disk.unmount();
            FdtServer server = way == Way.LOCAL ? null : server(disk.root());
            List<Loss> losses = List.of(Loss.values());
            for (int i = 0; i < STATES; i++) {
                Loss loss = i == 0 ? Loss.DROPPED : losses.get(random.nextInt(losses.size()));
                int position = i == 0 ? exit : choosePosition(end);
                long seed = random.nextInt(1_000_000);
                String kept = "?";
                try {
                    kept = disk.mountState(position, loss, seed);
                    check(position, disk.stateTop().resolve("in"), server);
                } catch (RuntimeException | AssertionError failure) {
                    String state =
                            "%s, -Dfdt.seed=%d, state %d: cut at %d of %d, %s with %s unflushed writes, options %s"
                                    .formatted(name, SEED, i, position, end, loss, kept, options);
                    throw new AssertionError(state + ": " + failure.getMessage(), failure);
                }
                disk.forgetState();
            }
            System.err.printf(
                    "%s with -Dfdt.seed=%d: %d states of %d writes and flushes, options %s%n",
                    name, SEED, STATES, end - begin, options);
        }

        /** Some of them where something has just been promised, and some with as many unflushed writes as possible. */
        private int choosePosition(int end) {
            List<Integer> promised = new ArrayList<>(acknowledged.keySet());
            promised.addAll(removed.values());
            int any = begin + random.nextInt(end - begin + 1);
            return switch (random.nextInt(4)) {
                case 0 -> any;
                case 1 -> promised.isEmpty() ? any : promised.get(random.nextInt(promised.size()));
                default -> disk.beforeFlush(any);
            };
        }

        /** A server that has given up other files follows no link of another process in /proc. */
        private FdtServer server(Path targets) {
            Path root = way == Way.PUSH ? targets : source.getParent();
            Object[] words = {"server", "--json", "--listen", "127.0.0.1:0", "--root", disk.pathInside(root)};
            return FdtServer.whenReady(at.track(FdtProcess.start(disk.inside(at.setup("server", words)))), root);
        }

        /** @param tree the target of the copied tree */
        private Object[] copy(Path tree, @Nullable FdtServer server) {
            List<Object> words = new ArrayList<>(options);
            if (server == null) {
                words.addAll(List.of(source + "/", tree + "/"));
            } else if (way == Way.PUSH) {
                words.addAll(
                        List.of(source + "/", server.url("/" + server.root().relativize(tree) + "/")));
            } else {
                words.addAll(List.of(server.url("/tree/"), tree + "/"));
            }
            return words.toArray();
        }

        private void record(Path target) throws Exception {
            Path tree = target.resolve("tree");
            FdtServer server = way == Way.LOCAL ? null : server(disk.top());
            if (scenario == Scenario.RERUN) {
                FdtProcess killed = start(tree, server);
                awaitLast(killed, "progress");
                Await.pass(Duration.ofMillis(random.nextInt(900)));
                killed.close();
            }
            Thread watch = new Thread(this::watchSource, "watch");
            watch.start();
            FdtProcess client = start(tree, server);
            if (scenario.isStoppedByDisk()) {
                awaitLast(client, "progress");
                if (scenario == Scenario.DEVICE_FAILS) {
                    disk.fail();
                } else {
                    disk.becomeReadOnly();
                }
                client.await(Workplace.LIMIT).expectExit(5);
                copied = true;
                watch.join();
                return;
            }
            awaitLast(client, "summary");
            client.await(Workplace.LIMIT).expectExit(0);
            if (scenario == Scenario.NOT_FLUSHED_AND_MOVED) {
                Files.move(tree, target.resolve("moved"));
            }
            copied = true;
            watch.join();
        }

        /** Notes when source files are gone. */
        private void watchSource() {
            List<Path> left = new ArrayList<>(FinalNames.files(source));
            for (boolean last = false; !last; ) {
                last = copied;
                List<Path> gone =
                        left.stream().filter(file -> !FinalNames.isFile(file)).toList();
                left.removeAll(gone);
                if (!gone.isEmpty()) {
                    int position = disk.position();
                    gone.forEach(file -> removed.put(source.relativize(file), position));
                }
                Await.pass(Duration.ofMillis(2));
            }
        }

        private FdtProcess start(Path tree, @Nullable FdtServer server) {
            List<Object> words = new ArrayList<>(List.of("client", "--json"));
            words.addAll(List.of(copy(tree, server)));
            return at.track(FdtProcess.start(disk.inside(at.setup("client", words.toArray()))));
        }

        /** Notes what the client has reported as acknowledged, until a line of this type. */
        private void awaitLast(FdtProcess client, String last) {
            client.awaitLine(Workplace.LIMIT, line -> {
                Map<String, Object> object = Json.object(line);
                String type = (String) object.get("type");
                if (scenario.flushes() && "progress".equals(type)) {
                    acknowledged.merge(disk.position(), (Long) object.get("bytes"), Math::max);
                }
                return last.equals(type);
            });
        }

        private void check(int position, Path target, @Nullable FdtServer server) throws IOException {
            Path moved = target.resolve("moved");
            Path tree = Files.isDirectory(moved) ? moved : target.resolve("tree");
            List<Path> missing = !scenario.flushes() ? List.of() : checkFinalNames(position, tree);
            if (scenario == Scenario.REMOVE_SOURCE) {
                restoreSource(position);
            }
            // A local copy finds the real path of its target, which is not the same outside the namespace.
            Outcome rerun = server == null ? start(tree, server).await(Workplace.LIMIT) : at.copy(copy(tree, server));
            rerun.expectExit(0);
            String differences = scenario == Scenario.REMOVE_SOURCE
                    ? disk.differences(pristine, tree, "--omit-dir-times")
                    : disk.differences(pristine, tree);
            assertThat(differences).as(rerun.transcript()).isEmpty();
            Map.Entry<Integer, Long> promised = acknowledged.floorEntry(position);
            assertThat(rerun.number("bytes_sent"))
                    .as("%s were missing%n%s", missing, rerun.transcript())
                    .isLessThanOrEqualTo(totalBytes - (promised == null ? 0 : promised.getValue()));
        }

        /** Returns the files that have not got their names. */
        private List<Path> checkFinalNames(int position, Path tree) {
            List<Path> missing = FinalNames.missing(pristine, scenario == Scenario.DELETE ? older : null, tree);
            for (Path relative : missing) {
                assertThat(removed.getOrDefault(relative, Integer.MAX_VALUE))
                        .as("%s is removed from the source and missing in the target", relative)
                        .isGreaterThan(position);
            }
            if (position >= exit && !scenario.isStoppedByDisk()) {
                assertThat(missing).as("missing after exit code 0").isEmpty();
            }
            for (Path extra :
                    scenario == Scenario.DELETE ? FinalNames.files(older.resolve("extra")) : List.<Path>of()) {
                assertThat(missing.isEmpty() || FinalNames.isSame(extra, tree.resolve(older.relativize(extra))))
                        .as("%s is deleted before %s are there", extra, missing)
                        .isTrue();
            }
            return missing;
        }

        private void restoreSource(int position) throws IOException {
            Shell.removeTree(source);
            Shell.ok("cp", "-a", pristine, source);
            for (Map.Entry<Path, Integer> entry : removed.entrySet()) {
                if (entry.getValue() <= position) {
                    Files.delete(source.resolve(entry.getKey()));
                }
            }
        }
    }
}
