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
import java.util.Map;
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
    private static final int KILLS = Integer.getInteger("fdt.kills", 1);
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int MIB = 1 << 20;
    private static final long BYTES_PER_SECOND = 40L * MIB;
    private static final int MAX_DELAY_MS = 1600;
    private static final int ANN = 27_001;

    @RegisterExtension
    final Workplace at = new Workplace();

    private enum Way {
        PUSH,
        PULL,
        LOCAL,
        BETWEEN_SERVERS,
        /** No client waits for it. */
        DETACHED,
        /** Without a server of its own. */
        SSH,
        BATCH,
        WATCH,
        /** With a key that names an account: a process of that account has the files. */
        USER;

        boolean isBetweenServers() {
            return this == BETWEEN_SERVERS || this == DETACHED;
        }

        boolean isToServer() {
            return this == PUSH || this == BATCH || this == WATCH || this == USER;
        }
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
        for (Path tree : List.of(plain, odd)) {
            Path other = changedModes(tree);
            Shell.ok("cp", "-a", tree, other);
            Shell.ok("chmod", "-R", "u=rwX,g=rX,o=", other);
        }
        Ends ends = new Ends(way);
        for (int kill = 0; kill < KILLS; kill++) {
            new Kill(ends, kill, new Random(SEED * 1_000_003 + way.name().hashCode() + kill)).go();
        }
    }

    /** The tree with the modes that {@link Kill#MODES} gives it. */
    private static Path changedModes(Path tree) {
        return tree.resolveSibling("other-modes");
    }

    /** The processes and directories of the copies in one way. */
    private final class Ends {
        final Way way;
        final Path sources;
        final Path targets;
        private @Nullable FdtServer from;
        private @Nullable FdtServer to;
        private @Nullable String appendingKey;
        private final @Nullable SshServer sshd;
        private final @Nullable HostAccounts accounts;
        /** The clients' key; empty for the default one. */
        private final String key;

        Ends(Way way) {
            this.way = way;
            this.sshd = way == Way.SSH ? at.closing(SshServer.start(at.path("sshd"))) : null;
            this.accounts = way == Way.USER ? HostAccounts.of(at) : null;
            this.sources = at.directory("sources");
            this.targets = at.directory(accounts == null ? "targets" : "remote");
            if (accounts != null) {
                accounts.add("ann", ANN);
            }
            this.key = accounts == null ? "" : accounts.key("ann");
            startServers();
        }

        void startServers() {
            if (way == Way.PULL || way.isBetweenServers()) {
                from = isAlive(from) ? from : server("from", sources, "--third-party", "127.0.0.0/8");
            }
            if (way.isToServer() || way.isBetweenServers()) {
                to = isAlive(to)
                        ? to
                        : accounts != null ? accounts.server() : server("to", targets, "--clear-lanes", "allow");
            }
        }

        private static boolean isAlive(@Nullable FdtServer server) {
            return server != null && server.process().isAlive();
        }

        /** Starts a server. One of two has its own home, of which the client imports the key. */
        private FdtServer server(String name, Path root, String option, String value) {
            if (!way.isBetweenServers()) {
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
            return way.isToServer() ? to : way == Way.PULL ? from : null;
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

        /** The URL or path of a source, through a proxy or not. */
        String source(String path, int proxyPort) {
            return place(from, sources, path, proxyPort);
        }

        String target(String path, int proxyPort) {
            String place = place(to, targets, path, proxyPort);
            return sshd == null ? place : sshd.user() + "@127.0.0.1:" + place;
        }

        List<Object> sshOptions() {
            return sshd == null ? List.of() : List.of("--ssh", sshd.command(), "--remote-command", at.remoteFdt());
        }

        private static String place(@Nullable FdtServer server, Path root, String path, int proxyPort) {
            return server == null ? root + path : server.urlAt(proxyPort > 0 ? proxyPort : server.port(), path);
        }

        /** A key that may only add names. */
        String appendingKey() {
            String key = appendingKey;
            if (key == null) {
                key = at.fdt("key", "create", "adding", "--append-only")
                        .expectExit(0)
                        .out()
                        .get(0);
                appendingKey = key;
            }
            return key;
        }
    }

    /** One copy that is killed, and the next run. */
    private final class Kill {
        private static final String MODES = "D750,F640";

        private final Ends ends;
        private final int number;
        private final Random random;
        private final List<Object> options = new ArrayList<>();
        /** Options of the killed run only. */
        private final List<Object> once = new ArrayList<>();

        private final Path expected;
        private final @Nullable Path older;
        private final boolean removesSource;
        private final boolean adds;
        private final Path receipt = at.path("receipt");
        private final Path manifest = at.path("manifest");

        Kill(Ends ends, int number, Random random) throws IOException {
            this.ends = ends;
            this.number = number;
            this.random = random;
            this.older = random.nextBoolean() ? at.path("older/tree") : null;
            Way way = ends.way;
            options.addAll(List.of("-P", 1 + random.nextInt(4)));
            options.addAll(List.of("--chunk-size", (128 << 10) << random.nextInt(7)));
            options.addAll(List.of("--direct-io", random.nextBoolean() ? "always" : "auto"));
            options.addAll(ends.sshOptions());
            if (way == Way.WATCH || way == Way.DETACHED) {
                once.add(way == Way.WATCH ? "--watch" : "--detach");
            }
            if (way != Way.LOCAL) {
                // So long does a client wait for a server that was killed, and a server for its client.
                once.addAll(List.of("--timeout", "10s"));
            }
            boolean all = some("--preserve", "all");
            boolean modes = some("--chmod", MODES);
            some("--digest", random.nextBoolean() ? "crc32c" : "sha256");
            some("--checksum", "adler32,sha256");
            some("--compare", "digest");
            if (way == Way.PUSH) {
                some("--clear-lanes");
            }
            this.adds = way == Way.PUSH && older == null && some();
            boolean deletes = !way.isBetweenServers() && way != Way.WATCH && !adds && some("--delete");
            if (!deletes && !some("--relative") && way != Way.WATCH && way != Way.BATCH && way != Way.SSH && some()) {
                options.add("--pairs");
            }
            boolean fromHere = way != Way.PULL && !way.isBetweenServers();
            this.removesSource = !deletes && fromHere && some("--remove-source");
            if (!removesSource && some()) {
                once.addAll(List.of("--durable", "none"));
            }
            Files.deleteIfExists(receipt);
            Files.deleteIfExists(manifest);
            boolean listed = false;
            if (!way.isBetweenServers() && way != Way.WATCH && !removesSource) {
                listed = some("--receipt", receipt);
                listed |= some("--manifest", "sha256=" + manifest);
            }
            if (!listed && !some("--update") && older == null) {
                // What these keep is not compared, and no receipt has its digest.
                some("--existing", "skip");
            }
            Path tree = at.path(all ? "odd/tree" : "plain/tree");
            this.expected = modes ? changedModes(tree) : tree;
            Shell.removeTree(ends.sources.resolve("tree"));
            Shell.removeTree(ends.targets.resolve("tree"));
            Shell.ok("cp", "-a", tree, ends.sources);
            if (older != null) {
                Shell.ok("cp", "-a", older, ends.targets);
                if (deletes) {
                    Trees.manyFiles(target().resolve("extra"), 10, 10);
                }
            }
            if (way == Way.USER) {
                Shell.ok("chown", "-R", ANN, ends.targets);
            }
        }

        private boolean some() {
            return random.nextInt(3) == 0;
        }

        /** Adds an option to one of three copies. */
        private boolean some(Object... words) {
            boolean chosen = some();
            if (chosen) {
                options.addAll(List.of(words));
            }
            return chosen;
        }

        /** The words of a client that reaches its server through a proxy or not. */
        private List<Object> words(List<Object> more, int proxyPort) {
            List<Object> words = new ArrayList<>(options);
            words.addAll(more);
            if (words.contains("--pairs")) {
                String line = ends.source("/tree", proxyPort) + "\t" + ends.target("/tree", proxyPort) + "\n";
                try {
                    words.add(words.indexOf("--pairs") + 1, Files.writeString(at.path("pairs"), line));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            } else {
                words.add(ends.source(words.contains("--relative") ? "/./tree" : "/tree", proxyPort));
                words.add(ends.target("/", proxyPort));
            }
            return words;
        }

        private Path target() {
            return ends.targets.resolve("tree");
        }

        void go() throws IOException {
            long totalBytes = 0;
            for (Path file : FinalNames.files(expected)) {
                totalBytes += Files.size(file);
            }
            at.environment("FDT_KEY", adds ? ends.appendingKey() : ends.key);
            Outcome killed = kill();
            String event = "kill %d of %s, options %s %s%s, %s older files"
                    .formatted(
                            number,
                            ends.way,
                            options,
                            once,
                            adds ? " --append-only" : "",
                            older == null ? "no" : "over");
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
            if (server == null) {
                once.addAll(List.of("--rate-limit", BYTES_PER_SECOND));
                return kill(start(words(once, 0)), null);
            }
            try (FaultProxy proxy = FaultProxy.before(server.port())) {
                int port = proxy.throttle(BYTES_PER_SECOND).port();
                return kill(start(words(once, port)), proxy);
            }
        }

        private FdtProcess start(List<Object> words) {
            if (ends.way != Way.BATCH) {
                return at.startCopy(words.toArray());
            }
            int last = words.size() - 1;
            List<String> given =
                    words.subList(0, last - 1).stream().map(Object::toString).toList();
            Batch batch = new Batch(at);
            try {
                batch.send(JsonText.of(Map.of(
                        "id",
                        1,
                        "op",
                        "copy",
                        "options",
                        given,
                        "from",
                        words.get(last - 1).toString(),
                        "to",
                        words.get(last).toString())));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return batch.process();
        }

        private Outcome kill(FdtProcess client, @Nullable FaultProxy proxy) {
            if (proxy != null && random.nextBoolean()) {
                // Fewer than any copy moves: a batch or a watch does not end when its copy has.
                long bytes = (long) (random.nextDouble() * 34 * MIB);
                Await.until(
                        "the byte is reached", Workplace.LIMIT, () -> proxy.totalBytes() >= bytes || !client.isAlive());
            } else {
                // Extends past the last byte, to when names and journals are finished.
                Duration time = Duration.ofMillis(random.nextInt(MAX_DELAY_MS));
                Await.until("it has begun", Workplace.LIMIT, () -> hasBegun(client) || !client.isAlive());
                Await.pass(time);
            }
            List<Runnable> victims = new ArrayList<>();
            for (FdtProcess server : ends.servers()) {
                victims.add(server::killHard);
                // The process of an account, which has the files. It goes by itself without the server.
                children(server).forEach(child -> victims.add(child::destroyForcibly));
            }
            if (ends.way == Way.DETACHED) {
                client.await(Workplace.LIMIT);
            } else {
                victims.add(client::killHard);
            }
            Collections.shuffle(victims, random);
            int count = random.nextInt(3) == 0 ? victims.size() : 1;
            victims.subList(0, count).forEach(Runnable::run);
            if (ends.way == Way.WATCH || ends.way == Way.BATCH) {
                // These do not end by themselves.
                client.killHard();
            }
            return client.await(Workplace.LIMIT);
        }

        private List<ProcessHandle> children(FdtProcess server) {
            return ends.way != Way.USER
                    ? List.of()
                    : ProcessHandle.of(server.pid()).stream()
                            .flatMap(ProcessHandle::children)
                            .toList();
        }

        private static boolean hasBegun(FdtProcess client) {
            return client.transcript().contains("\"start\"")
                    || client.transcript().contains("\"progress\"");
        }

        private void check(Outcome killed, long totalBytes, String event) {
            // A server that is killed before it has answered was never reached.
            boolean answered = killed.transcript().contains("\"start\"");
            assertThat(killed.exitCode()).isIn(0, 9, 137, answered ? 9 : 8);
            List<Path> missing = FinalNames.missing(expected, older, target());
            if (killed.exitCode() == 0 && ends.way != Way.DETACHED) {
                assertThat(missing).isEmpty();
            }
            for (Path relative : missing) {
                assertThat(ends.sources.resolve("tree").resolve(relative))
                        .as("the source of a missing copy")
                        .exists();
            }
            ends.startServers();
            Object[] words = words(List.of(), 0).toArray();
            AtomicReference<Outcome> last = new AtomicReference<>();
            // The files stay locked until the other ends have noticed the end of the killed session.
            Await.until("no other copy writes", Workplace.LIMIT, () -> {
                last.set(at.copy(words));
                return last.get().exitCode() != 11;
            });
            Outcome rerun = last.get().expectExit(0);
            List<String> ignored = new ArrayList<>();
            if (removesSource || adds) {
                // A key that may only add names does not change the directories that the killed run has made.
                ignored.add("--omit-dir-times");
            }
            if (ends.way == Way.USER) {
                ignored.addAll(List.of("--no-owner", "--no-group"));
            }
            String differences = Trees.differences(expected, target(), ignored.toArray(String[]::new));
            assertThat(differences).as(rerun.transcript()).isEmpty();
            // Digests are compared of whole files, which then begin anew.
            if (!options.contains("digest")) {
                assertThat(rerun.number("bytes_sent"))
                        .as("sent again, with %d bytes acknowledged%n%s", acknowledgedBytes(killed), rerun.transcript())
                        .isLessThanOrEqualTo(totalBytes - acknowledgedBytes(killed));
            }
            if (options.contains("--receipt")) {
                at.fdt("verify", "--receipt", receipt, ends.targets).expectExit(0);
            }
            if (options.contains("--manifest")) {
                Shell.ok("env", "--chdir", ends.targets, "sha256sum", "--check", "--quiet", manifest);
            }
            System.err.printf(
                    "%s: exit %d in %.1f s, then %d bytes resumed, %d sent, %d files skipped%n",
                    event,
                    killed.exitCode(),
                    killed.seconds(),
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
