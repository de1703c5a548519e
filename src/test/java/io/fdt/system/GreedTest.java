package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.budget.Resource;
import io.fdt.core.budget.ServerCharges;
import io.fdt.core.hostile.Crowd;
import io.fdt.core.hostile.GreedyAttacks;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with small limits, clients with a valid key that use all they can get, and ordinary clients beside them. */
@Order(1)
final class GreedTest {
    private static final int MIB = 1 << 20;
    /** Those that listen, and those of the process. */
    private static final int SOCKETS_OF_SERVER = 4;
    /** The root itself. */
    private static final int FILES_OF_SERVER = 1;
    /** As many sessions as one of several keys may have. */
    private static final int CROWD = 32;
    /** Names of threads of a process have 15 characters. */
    private static final Pattern SESSION_THREAD = Pattern.compile("fdt-(session|operation|hash|walk|verify)");

    @RegisterExtension
    final Workplace at = new Workplace();

    /** An attack by a client that stays connected afterwards. */
    private interface Attack {
        void begin(GreedyAttacks attacker) throws InterruptedException;
    }

    /** Each attack has a server of its own, so that none ends in the remains of another. */
    @ParameterizedTest
    @ValueSource(strings = {"directories", "some globs", "comparisons", "one compared", "parts", "a lane", "pulls"})
    void greedyClientDoesNotAffectOthers(String attack) throws Exception {
        Path root = at.directory("remote");
        List<String> names = IntStream.range(0, attack.equals("comparisons") ? 2000 : 1)
                .mapToObj(i -> "there" + i)
                .toList();
        for (String name : names) {
            Files.writeString(root.resolve(name), "12345");
        }
        FdtServer server = smallServer(root);
        Path source = Trees.file(at.path("honest"), 20 * MIB, 1);
        String key = at.fdt("key", "show").expectExit(0).out().get(0);

        besides(server, key, source, attacker -> {
            switch (attack) {
                case "directories" -> attacker.offerLongDirectories(70_000);
                case "some globs" -> attacker.sendGlobs(7, 60);
                case "comparisons" -> attacker.offerToCompare(names, 5, 1);
                case "one compared" -> attacker.offerToCompare(names, 5, 1000);
                case "parts" -> {
                    attacker.leavePartials("/parts/", 325);
                    attacker.resumePartials("/parts/", 325);
                }
                case "a lane" -> attacker.repeatALane(300);
                default -> attacker.desertPulls(16);
            }
        });
        assertSound(server);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "names",
                "names ahead",
                "tops",
                "paths",
                "links",
                "network tests",
                "files",
                "compared",
                "walks",
                "sums"
            })
    void aGreedyKeyDoesNotKeepOthersFromWriting(String attack) throws Exception {
        Path root = at.directory("remote");
        Path many = Files.createDirectories(root.resolve("many"));
        for (int i = 0; i < (attack.equals("names") ? 30_000 : 0); i++) {
            Files.createFile(many.resolve("f" + i));
        }
        List<String> names = IntStream.range(0, 16).mapToObj(i -> "there" + i).toList();
        for (String name : names) {
            Files.writeString(root.resolve(name), "12345");
        }
        if (attack.equals("sums")) {
            // Of zeros, which take no room.
            try (RandomAccessFile endless =
                    new RandomAccessFile(root.resolve("endless").toFile(), "rw")) {
                endless.setLength(1L << 42);
            }
        }
        if (attack.equals("walks")) {
            GreedyAttacks.makeDeepTree(root.resolve("deep"));
        }
        FdtServer server = smallServer(root, "--transfer-log", at.path("transfers"));
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        String rights = switch (attack) {
            case "names", "names ahead", "links", "network tests", "walks", "sums" -> "list,read";
            default -> "list,read,write,delete";
        };
        String greedy = at.fdt("key", "create", "greedy", "--allow", rights, "--max-sessions", "none")
                .expectExit(0)
                .out()
                .get(0);

        besides(server, greedy, source, attacker -> {
            switch (attack) {
                case "names" -> attacker.floodBusySessions("/many", 2, 110);
                case "names ahead" -> attacker.sendNamesAhead(8);
                case "tops" -> attacker.offerTops(4, 20_000);
                // Together more than all clients may have, and each of them less than a session may.
                case "paths" -> attacker.leaveOut(List.of(160, 160, 160, 160, 80, 40, 20, 10, 5, 2, 1, 0, 0, 0, 0));
                case "links" -> attacker.authenticate(600);
                case "network tests" ->
                    attacker.openNetworkTests(Stream.iterate(16 * MIB, bytes -> bytes >= MIB / 4, bytes -> bytes / 2)
                            .flatMap(bytes -> Collections.nCopies(bytes == 16 * MIB ? 8 : 2, bytes).stream())
                            .toList());
                case "walks" -> attacker.walkDeep("/", 32);
                case "sums" -> attacker.sum("/endless", 31);
                case "files" -> attacker.keepFilesOpen("/many/", 1_200);
                default -> attacker.compareAndFail(names, 300);
            }
        });
        assertSound(server);
    }

    /** All sessions that a key may have, with every kind of request: while they work, return, and have gone. */
    @ParameterizedTest
    @EnumSource
    void aCrowdOfOneKeyLeavesRoomForOthersAndNothingOfItself(Crowd.Request request) throws Exception {
        FdtServer server = crowdedServer();
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        List<String> before = heldBy(server);
        ServerCharges charges = new ServerCharges(server.process().pid());
        Map<Resource, Long> chargedBefore = charges.all();
        copyAndVerify(server, source);
        try (Crowd crowd = crowd(server, "crowd", request)) {
            assertThat(crowd.open(CROWD)).isPositive();
            Await.until(
                    () -> "what it holds is charged: " + heldBy(server) + " instead of " + charges.all(),
                    () -> holdsNoMore(heldBy(server), charges));
            copyAndVerify(server, source);
            crowd.returnToAll();
            copyAndVerify(server, source);
            crowd.disappear();
            Await.until(
                    () -> "nothing of it is left, but: " + heldBy(server) + " instead of " + before,
                    () -> heldBy(server).size() <= before.size());
            Await.until(
                    () -> "everything is given back, but: " + charges.all() + " instead of " + chargedBefore,
                    () -> charges.all().equals(chargedBefore));
            copyAndVerify(server, source);
        }
        assertSound(server);
    }

    /** Each has half of what is left, and they do different things. */
    @Test
    void twoCrowdsOfDifferentKeysLeaveRoomForOthers() throws Exception {
        FdtServer server = crowdedServer();
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        try (Crowd one = crowd(server, "one", Crowd.Request.OPERATIONS);
                Crowd other = crowd(server, "other", Crowd.Request.PUSH)) {
            // In turns, so that none has its share before the other begins.
            for (int count = 1; count <= CROWD; count++) {
                one.open(count);
                other.open(count);
            }
            assertThat(one.open(0)).isPositive();
            assertThat(other.open(0)).isPositive();
            copyAndVerify(server, source);
            one.returnToAll();
            other.returnToAll();
            copyAndVerify(server, source);
        }
        assertSound(server);
    }

    /**
     * Files that wait to be flushed, each in a directory that stays open for it, keep neither their own copy nor
     * another one from opening the next directory.
     */
    @ParameterizedTest
    @CsvSource({"1, 256", "2, 512"})
    void parallelCopiesOfManySmallFilesEndWell(int keys, int descriptors) throws Exception {
        Path source = at.directory("source");
        for (int folder = 0; folder < 100; folder++) {
            Path directory = Files.createDirectory(source.resolve("d" + folder));
            for (int file = 0; file < 20; file++) {
                Files.writeString(directory.resolve("f" + file), "content");
            }
        }
        FdtServer server = serverWith(descriptors, at.directory("remote"));
        List<FdtProcess> copies = new ArrayList<>();
        for (int copy = 0; copy < 2 * keys; copy++) {
            if (copy == 2) {
                at.environment(
                        "FDT_KEY",
                        at.fdt("key", "create", "second").expectExit(0).out().get(0));
            }
            // One that has no room for its start yet, since the others are quick to use it, comes again.
            copies.add(at.startCopy("--retry", "4m", source + "/", server.url("/copy" + copy + "/")));
        }
        for (int copy = 0; copy < copies.size(); copy++) {
            copies.get(copy).await(Workplace.LIMIT).expectExit(0);
            Trees.assertSame(source, server.root().resolve("copy" + copy));
        }
        assertSound(server);
    }

    /** Clients that stay, and clients that write one file in parts, in the directory that the other key works in. */
    @Test
    void watchesAndShardsOfOneKeyDoNotEndTheWorkOfAnother() throws Exception {
        FdtServer server = smallServer(at.directory("remote"));
        ServerCharges charges = new ServerCharges(server.process().pid());
        Map<Resource, Long> chargedBefore = charges.all();
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        Path watched = at.directory("watched");
        Files.writeString(watched.resolve("new0"), "content");
        Path tree = at.directory("tree");
        Trees.file(tree.resolve("big"), 40 * MIB, 2);
        at.fdt("shard", "plan", tree, "--into", 2, "--split-above", "16MiB", "--out=" + at.path("job"))
                .expectExit(0);
        String own = at.fdt("key", "show").expectExit(0).out().get(0);
        at.environment(
                "FDT_KEY", at.fdt("key", "create", "busy").expectExit(0).out().get(0));
        List<FdtProcess> watches = new ArrayList<>();
        List<FdtProcess> shards = new ArrayList<>();
        for (int each = 0; each < 2; each++) {
            watches.add(at.startCopy("--watch", watched + "/", server.url("/copies/" + each)));
            Path shard = at.path("job").resolve(String.valueOf(each));
            shards.add(at.startCopy("--rate-limit", "2Mbit", "--shard", shard, server.url("/copies/")));
        }
        Path parts = server.root().resolve("copies/tree");
        Await.until("a part of the file is there", Workplace.LIMIT, () -> hasPartial(parts));
        at.environment("FDT_KEY", own);
        for (int round = 1; round <= 3; round++) {
            Files.writeString(watched.resolve("new" + round), "content");
            at.copy("--existing", "overwrite", source, server.url("/copies/honest"))
                    .expectExit(0);
            at.fdt("verify", source, server.url("/copies/honest")).expectExit(0);
            at.fdt("mkdir", server.url("/copies/made" + round)).expectExit(0);
            at.copy(server.url("/copies/honest"), at.path("back" + round)).expectExit(0);
        }
        // Otherwise a watch says that there are complete files that it has not copied.
        List<String> written = List.of("new0", "new1", "new2", "new3");
        for (int each = 0; each < watches.size(); each++) {
            Path copied = server.root().resolve("copies/" + each);
            Await.until(
                    "everything that was written is there",
                    Workplace.LIMIT,
                    () -> namesIn(copied).containsAll(written));
        }
        for (FdtProcess each : watches) {
            each.signal("TERM");
            each.await(Workplace.LIMIT).expectExit(0);
        }
        for (FdtProcess each : shards) {
            // Unless it has ended.
            each.signal("INT");
            assertThat(each.await(Workplace.LIMIT).exitCode()).isIn(0, 130);
        }
        Await.until(
                () -> "everything is given back, but: " + charges.all() + " instead of " + chargedBefore,
                () -> charges.all().equals(chargedBefore));
        assertSound(server);
    }

    private static boolean hasPartial(Path directory) {
        return namesIn(directory).stream().anyMatch(name -> name.endsWith(".part"));
    }

    private static List<String> namesIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException notYet) {
            return List.of();
        }
    }

    /** In seconds, so that it needs a machine that nobody else uses. */
    @ParameterizedTest
    @Tag("full")
    @Tag("clock")
    @EnumSource
    void besideACrowdWorkTakesNoMoreThanThreeTimesItsTime(Crowd.Request request) throws Exception {
        FdtServer server = crowdedServer();
        Path source = Trees.file(at.path("honest"), 64 * MIB, 1);
        double alone = fastest(server, source);
        try (Crowd crowd = crowd(server, "crowd", request)) {
            assertThat(crowd.open(CROWD)).isPositive();
            assertThat(fastest(server, source)).isLessThan(3 * alone);
        }
        assertSound(server);
    }

    private FdtServer crowdedServer() throws IOException {
        Path root = at.directory("remote");
        GreedyAttacks.makeDeepTree(root.resolve("deep"));
        try (RandomAccessFile endless =
                new RandomAccessFile(root.resolve("endless").toFile(), "rw")) {
            endless.setLength(1L << 42);
        }
        return smallServer(root);
    }

    private Crowd crowd(FdtServer server, String name, Crowd.Request request) {
        String key = at.fdt("key", "create", name, "--max-sessions", CROWD)
                .expectExit(0)
                .out()
                .get(0);
        return new Crowd(new InetSocketAddress(server.host(), server.port()), key, request);
    }

    private double copyAndVerify(FdtServer server, Path source) {
        double seconds = at.copy("--existing", "overwrite", source, server.url("/copy"))
                .expectExit(0)
                .seconds();
        return seconds
                + at.fdt("verify", source, server.url("/copy")).expectExit(0).seconds();
    }

    private double fastest(FdtServer server, Path source) {
        return IntStream.range(0, 5)
                .mapToDouble(i -> copyAndVerify(server, source))
                .min()
                .orElseThrow();
    }

    /** The threads of sessions in the server's process, its open files below the root, and its sockets. */
    private static List<String> heldBy(FdtServer server) {
        Path process = Path.of("/proc", Long.toString(server.process().pid()));
        List<String> held = new ArrayList<>();
        try (Stream<Path> threads = Files.list(process.resolve("task"));
                Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            threads.forEach(each -> {
                String name = readUnlessGone(() -> Files.readString(each.resolve("comm")));
                if (SESSION_THREAD.matcher(name).lookingAt()) {
                    held.add(name.strip());
                }
            });
            descriptors.forEach(each -> {
                String name = readUnlessGone(() -> Files.readSymbolicLink(each).toString());
                if (name.startsWith("socket:") || name.startsWith(server.root().toString())) {
                    held.add(name);
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return held;
    }

    /** Beside the thread of each session, which is charged as one. */
    private static boolean holdsNoMore(List<String> held, ServerCharges charges) {
        long threads = held.stream()
                .filter(name -> name.startsWith("fdt-") && !name.startsWith("fdt-session"))
                .count();
        long sockets = held.stream().filter(name -> name.startsWith("socket:")).count();
        long files = held.stream().filter(name -> name.startsWith("/")).count();
        return threads <= charges.of(Resource.THREADS)
                && sockets <= SOCKETS_OF_SERVER + charges.of(Resource.CONNECTIONS)
                && files <= FILES_OF_SERVER + charges.of(Resource.DESCRIPTORS) + charges.of(Resource.FILES);
    }

    private interface Reading {
        String read() throws IOException;
    }

    private static String readUnlessGone(Reading reading) {
        try {
            return reading.read();
        } catch (IOException gone) {
            return "";
        }
    }

    /** Whole and escaped, they would be twice the heap, and lines of 16 MB. */
    @Test
    void longFailuresFillNeitherTheHeapNorTheLog() throws Exception {
        Path root = at.directory("remote");
        Files.createDirectories(root.resolve("empty"));
        FdtServer server = smallServer(root);
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        String greedy = at.fdt("key", "create", "greedy", "--allow", "list,read")
                .expectExit(0)
                .out()
                .get(0);

        besides(server, greedy, source, attacker -> attacker.failWithLongTexts("/empty/", 9, 400));
        Set<String> ends = new HashSet<>();
        while (ends.size() < 9) {
            server.process()
                    .awaitLine(
                            Workplace.LIMIT,
                            line -> line.contains("\"session_end\"") && line.contains("greedy") && ends.add(line));
        }
        assertThat(ends)
                .allSatisfy(
                        end -> assertThat(end).contains("\"files_failed\":400,").hasSizeLessThan(128 << 10));
        assertSound(server);
    }

    /** At the key's rate, the frames of a few hundred bytes that the client sends at once stand for an hour's work. */
    @Test
    void holesOfAStreamKeepToTheRateOfTheirKey() throws Exception {
        Path root = at.directory("remote");
        Path target = Files.createDirectories(root.resolve("in"));
        FdtServer server = smallServer(root);
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        String slow = at.fdt("key", "create", "slow", "--rate-limit", "100kbit")
                .expectExit(0)
                .out()
                .get(0);

        besides(
                server,
                slow,
                source,
                attacker -> {
                    attacker.sendHolesOfAStream("/in/", 64);
                    Await.until("the first of them are written", Workplace.LIMIT, () -> bytesIn(target) > 0);
                },
                // Afterwards the server may remove what is unfinished.
                () -> assertThat(bytesIn(target)).isPositive().isLessThan(32 * MIB));
        assertSound(server);
    }

    private static long bytesIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All comparisons together would take hours. */
    @Test
    void aRevokedKeyEndsTheMatchingOfItsPatterns() throws Exception {
        Path root = at.directory("remote");
        Path many = Files.createDirectories(root.resolve("many"));
        String letters = "a".repeat(240);
        for (int i = 0; i < 10_000; i++) {
            Files.createFile(many.resolve(letters + i));
        }
        Files.createFile(many.resolve(letters + "b"));
        FdtServer server = smallServer(root);
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        String greedy = at.fdt("key", "create", "greedy", "--allow", "list,read")
                .expectExit(0)
                .out()
                .get(0);

        besides(server, greedy, source, attacker -> {
            attacker.matchPatterns("/many", 2_400);
            server.process().awaitLine(Workplace.LIMIT, line -> line.contains("\"session_start\""));
            at.fdt("key", "revoke", "greedy").expectExit(0);
            server.process()
                    .awaitLine(
                            Workplace.LIMIT,
                            line -> line.contains("\"session_end\"") && line.contains("greedy has been revoked"));
        });
        assertSound(server);
    }

    /** Each core would be several time series, for as long as the monitor runs. */
    @Test
    void namesOfCoresThatAPeerInventsBecomeNoTimeSeries() throws Exception {
        Path root = at.directory("remote");
        FdtServer server = smallServer(root, "--monitor", "127.0.0.1:0");
        String monitor = String.valueOf(
                Json.object(server.process().awaitLine(Workplace.LIMIT, line -> line.contains("\"type\":\"monitor\"")))
                        .get("url"));
        Path source = Trees.file(at.path("honest"), 4 * MIB, 1);
        String greedy = at.fdt("key", "create", "greedy").expectExit(0).out().get(0);

        besides(server, greedy, source, attacker -> {
            attacker.nameOtherCores(5, 10);
            AtomicReference<String> metrics = new AtomicReference<>("");
            // The monitor learns of a session at its next sample.
            Await.until("a core of the peer", Workplace.LIMIT, () -> {
                metrics.set(Browser.get(URI.create(monitor).resolve("/metrics")));
                return metrics.get().contains("fdt_peer_cpu_ratio{cpu=\"0\"");
            });
            assertThat(metrics.get()).doesNotContain("fdt_peer_cpu_ratio{cpu=\"10\"");
            assertThat(metrics.get().lines().filter(line -> line.startsWith("fdt_peer_cpu_ratio{")))
                    .hasSizeLessThan(100);
        });
        assertSound(server);
    }

    private FdtServer smallServer(Path root, Object... options) {
        return serverWith(1024, root, options);
    }

    private FdtServer serverWith(int descriptors, Path root, Object... options) {
        at.environment("JAVA_TOOL_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError");
        List<Object> words = new ArrayList<>(List.of("server", "--json", "--listen", "127.0.0.1:0", "--root", root));
        words.addAll(List.of(options));
        return FdtServer.whenReady(
                at.track(FdtProcess.start(
                        at.setupThroughBash("server", "ulimit -n " + descriptors + "; exec \"$@\"", words.toArray()))),
                root);
    }

    private static void assertSound(FdtServer server) {
        assertThat(server.process().transcript())
                .doesNotContain("java.lang.OutOfMemoryError")
                .doesNotContain("Too many open");
    }

    private void besides(FdtServer server, String key, Path source, Attack attack) throws InterruptedException {
        besides(server, key, source, attack, () -> {});
    }

    /** @param during called after the honest copy, while the attacker is still connected */
    private void besides(FdtServer server, String key, Path source, Attack attack, Runnable during)
            throws InterruptedException {
        try (GreedyAttacks attacker = new GreedyAttacks(new InetSocketAddress(server.host(), server.port()), key)) {
            attack.begin(attacker);
            at.copy(source, server.url("/copy")).expectExit(0);
            during.run();
        }
        assertThat(server.process().isAlive()).isTrue();
        Trees.assertSameFile(source, server.root().resolve("copy"));
    }
}
