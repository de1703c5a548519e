package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills the client, the servers or all of them with SIGKILL at random points of copies with random options, repeatedly.
 * No wrong data ever appears under a final name, no source is removed without its copy, and the next run completes.
 * {@code scripts/soak} has hundreds of kills, {@code -Dfdt.seed=…} replays a run.
 */
@Tag("fault")
@Order(4)
@Tag("disk")
final class KillTest {
    private static final int KILLS = Integer.getInteger("fdt.kills", 2);
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int MIB = 1 << 20;
    private static final long BYTES_PER_SECOND = 40L * MIB;
    private static final int MAX_DELAY_MS = 1600;

    @RegisterExtension
    final Workplace at = new Workplace();

    private enum Way {
        PUSH,
        PULL,
        LOCAL,
        BETWEEN_SERVERS
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void copiesCompleteAfterKillsAtRandomPoints(Way way) throws IOException {
        System.err.println("processes are killed with -Dfdt.seed=" + SEED);
        Path plain = at.path("plain/tree");
        Trees.file(plain.resolve("big"), 24 * MIB + 1234, 1);
        Trees.file(plain.resolve("middle"), 9 * MIB, 2);
        Trees.manyFiles(plain.resolve("many"), 300, 8000);
        Path odd = at.path("odd/tree");
        Shell.ok("mkdir", odd.getParent());
        Shell.ok("cp", "-a", plain, odd.getParent());
        Files.createLink(odd.resolve("name"), odd.resolve("middle"));
        Files.createSymbolicLink(odd.resolve("link"), Path.of("many"));
        Shell.ok("setfattr", "-n", "user.colour", "-v", "red", odd.resolve("big"), odd.resolve("many"));
        Path older = at.path("older/tree");
        Trees.file(older.resolve("big"), 2 * MIB, 3);
        Trees.manyFiles(older.resolve("many"), 100, 700);
        Shell.ok("find", older, "-exec", "touch", "-d", "2001-01-01", "{}", "+");
        Ends ends = new Ends(way);
        for (int kill = 0; kill < KILLS; kill++) {
            new Kill(ends, kill, new Random(SEED * 1_000_003 + way.name().hashCode() + kill)).go();
        }
    }

    /** The processes and directories of the copies in one way. */
    private final class Ends {
        final Way way;
        final Path sources;
        final Path targets;
        private @Nullable FdtServer from;
        private @Nullable FdtServer to;

        Ends(Way way) {
            this.way = way;
            this.sources = at.directory("sources");
            this.targets = at.directory("targets");
            startServers();
        }

        void startServers() {
            if (way == Way.PULL || way == Way.BETWEEN_SERVERS) {
                from = isAlive(from) ? from : server("from", sources, "--third-party", "127.0.0.0/8");
            }
            if (way == Way.PUSH || way == Way.BETWEEN_SERVERS) {
                to = isAlive(to) ? to : server("to", targets, "--clear-lanes", "allow");
            }
        }

        private static boolean isAlive(@Nullable FdtServer server) {
            return server != null && server.process().isAlive();
        }

        /** Starts a server. One of two has its own home, of which the client imports the key. */
        private FdtServer server(String name, Path root, String option, String value) {
            if (way != Way.BETWEEN_SERVERS) {
                return at.rootlessServer("127.0.0.1:0", root, "--root", root, option, value);
            }
            at.environment("FDT_HOME", at.path("home-" + name).toString());
            FdtServer server = at.rootlessServer("127.0.0.1:0", root, "--root", root, option, value);
            String line = at.fdt("key", "show").expectExit(0).out().get(0);
            at.environment("FDT_HOME", at.home().toString());
            try {
                Path file = Files.writeString(at.path("key-" + name), line + "\n");
                at.fdt("key", "import", "--server", "127.0.0.1:" + server.port(), file)
                        .expectExit(0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return server;
        }

        /** The server that a client reaches through a proxy, if there is one. */
        @Nullable FdtServer only() {
            return way == Way.PUSH ? to : way == Way.PULL ? from : null;
        }

        List<FdtProcess> servers() {
            List<FdtProcess> all = new ArrayList<>();
            for (FdtServer server : new FdtServer[] {from, to}) {
                if (server != null) {
                    all.add(server.process());
                }
            }
            return all;
        }

        /** The source and target of a client, through a proxy or not. */
        List<Object> words(int proxyPort) {
            FdtServer a = from;
            FdtServer b = to;
            return List.of(
                    a == null ? sources.resolve("tree") : a.urlAt(proxyPort > 0 ? proxyPort : a.port(), "/tree"),
                    b == null ? targets + "/" : b.urlAt(proxyPort > 0 ? proxyPort : b.port(), "/"));
        }
    }

    /** One copy that is killed, and the next run. */
    private final class Kill {
        private final Ends ends;
        private final int number;
        private final Random random;
        private final List<Object> options = new ArrayList<>();
        private final Path tree;
        private final @Nullable Path older;
        private final boolean removesSource;
        private final Path receipt = at.path("receipt");
        private final Path manifest = at.path("manifest");

        Kill(Ends ends, int number, Random random) throws IOException {
            this.ends = ends;
            this.number = number;
            this.random = random;
            Way way = ends.way;
            options.addAll(List.of("-P", 1 + random.nextInt(4)));
            options.addAll(List.of("--chunk-size", (128 << 10) << random.nextInt(7)));
            options.addAll(List.of("--direct-io", random.nextBoolean() ? "always" : "auto"));
            if (way != Way.LOCAL) {
                options.addAll(List.of("--timeout", "15s"));
            }
            boolean all = some("--preserve", "all");
            if (way == Way.PUSH) {
                some("--clear-lanes");
            }
            boolean deletes = way != Way.BETWEEN_SERVERS && some("--delete");
            removesSource = !deletes && (way == Way.PUSH || way == Way.LOCAL) && some("--remove-source");
            Files.deleteIfExists(receipt);
            Files.deleteIfExists(manifest);
            boolean listed = false;
            if (way != Way.BETWEEN_SERVERS && !removesSource) {
                listed = some("--receipt", receipt);
                listed |= some("--manifest", "sha256=" + manifest);
            }
            if (!listed) {
                // Files that --update keeps are not compared, and no receipt has their digests.
                some("--update");
            }
            this.tree = at.path(all ? "odd/tree" : "plain/tree");
            this.older = random.nextBoolean() ? at.path("older/tree") : null;
            Shell.removeTree(ends.sources.resolve("tree"));
            Shell.removeTree(ends.targets.resolve("tree"));
            Shell.ok("cp", "-a", tree, ends.sources);
            if (older != null) {
                Shell.ok("cp", "-a", older, ends.targets);
                if (deletes) {
                    Trees.manyFiles(target().resolve("extra"), 10, 10);
                }
            }
        }

        /** Adds an option to one of three copies. */
        private boolean some(Object... words) {
            boolean chosen = random.nextInt(3) == 0;
            if (chosen) {
                options.addAll(List.of(words));
            }
            return chosen;
        }

        private Path target() {
            return ends.targets.resolve("tree");
        }

        void go() throws IOException {
            long totalBytes = 0;
            for (Path file : FinalNames.files(tree)) {
                totalBytes += Files.size(file);
            }
            Outcome killed = kill();
            String event = "kill %d of %s, options %s, %s older files"
                    .formatted(number, ends.way, options, older == null ? "no" : "over");
            try {
                check(killed, totalBytes, event);
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError(
                        event + " with -Dfdt.seed=" + SEED + ": " + failure.getMessage() + "\n" + killed.transcript(),
                        failure);
            }
        }

        private Outcome kill() {
            FdtServer server = ends.only();
            List<Object> words = new ArrayList<>(options);
            if (server == null) {
                words.addAll(List.of("--rate-limit", BYTES_PER_SECOND));
                words.addAll(ends.words(0));
                return kill(at.startCopy(words.toArray()), null);
            }
            try (FaultProxy proxy = FaultProxy.before(server.port())) {
                words.addAll(ends.words(proxy.throttle(BYTES_PER_SECOND).port()));
                return kill(at.startCopy(words.toArray()), proxy);
            }
        }

        private Outcome kill(FdtProcess client, @Nullable FaultProxy proxy) {
            if (proxy != null && random.nextBoolean()) {
                long bytes = (long) (random.nextDouble() * 36 * MIB);
                Await.until(
                        "the byte is reached", Workplace.LIMIT, () -> proxy.totalBytes() >= bytes || !client.isAlive());
            } else {
                // Extends past the last byte, to when names and journals are finished.
                Duration time = Duration.ofMillis(random.nextInt(MAX_DELAY_MS));
                Await.until(
                        "it has begun",
                        Workplace.LIMIT,
                        () -> client.transcript().contains("\"start\"") || !client.isAlive());
                Await.pass(time);
            }
            List<FdtProcess> victims = new ArrayList<>(ends.servers());
            victims.add(client);
            Collections.shuffle(victims, random);
            int count = random.nextInt(3) == 0 ? victims.size() : 1;
            victims.subList(0, count).forEach(FdtProcess::killHard);
            return client.await(Workplace.LIMIT);
        }

        private void check(Outcome killed, long totalBytes, String event) {
            assertThat(killed.exitCode()).isIn(0, 9, 137);
            List<Path> missing = FinalNames.missing(tree, older, target());
            if (killed.exitCode() == 0) {
                assertThat(missing).isEmpty();
            }
            for (Path relative : missing) {
                assertThat(ends.sources.resolve("tree").resolve(relative))
                        .as("the source of a missing copy")
                        .exists();
            }
            ends.startServers();
            List<Object> words = new ArrayList<>(options);
            words.addAll(ends.words(0));
            AtomicReference<Outcome> last = new AtomicReference<>();
            // Between two servers, the files stay locked until both have noticed the end of the killed session.
            Await.until("no other copy writes", Workplace.LIMIT, () -> {
                last.set(at.copy(words.toArray()));
                return ends.way != Way.BETWEEN_SERVERS || last.get().exitCode() != 11;
            });
            Outcome rerun = last.get().expectExit(0);
            String differences = removesSource
                    ? Trees.differences(tree, target(), "--omit-dir-times")
                    : Trees.differences(tree, target());
            assertThat(differences).as(rerun.transcript()).isEmpty();
            assertThat(rerun.number("bytes_sent"))
                    .as("sent again, with %d bytes acknowledged%n%s", acknowledgedBytes(killed), rerun.transcript())
                    .isLessThanOrEqualTo(totalBytes - acknowledgedBytes(killed));
            if (options.contains("--receipt")) {
                at.fdt("verify", "--receipt", receipt, ends.targets).expectExit(0);
            }
            if (options.contains("--manifest")) {
                Shell.ok("env", "--chdir", ends.targets, "sha256sum", "--check", "--quiet", manifest);
            }
            System.err.printf(
                    "%s: exit %d, then %d bytes resumed, %d sent, %d files skipped%n",
                    event,
                    killed.exitCode(),
                    rerun.number("bytes_resumed"),
                    rerun.number("bytes_sent"),
                    rerun.number("files_skipped"));
        }

        private long acknowledgedBytes(Outcome killed) {
            return killed.jsonOfType("progress").stream()
                    .mapToLong(progress -> (Long) progress.getOrDefault("bytes", 0L))
                    .max()
                    .orElse(0);
        }
    }
}
