package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Kills the runs of a job's shards, the servers that they copy to, or all of them with SIGKILL at random points. No
 * wrong data ever appears under a final name, no finish reports an incomplete job as complete, and the next runs
 * complete it. {@code scripts/soak} has hundreds of kills, {@code -Dfdt.seed=…} replays a run.
 */
@Tag("fault")
@Order(4)
@Tag("disk")
final class ShardKillTest {
    private static final int KILLS = Integer.getInteger("fdt.kills", 1);
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int MIB = 1 << 20;
    private static final long BYTES_PER_SECOND = 20L * MIB;
    private static final int MAX_DELAY_MS = 1600;
    private static final int SHARDS = 2;

    @RegisterExtension
    final Workplace at = new Workplace();

    private final List<FdtServer> servers = new ArrayList<>();

    @Test
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void jobsCompleteAfterKillsAtRandomPoints() throws IOException {
        System.err.println("shards are killed with -Dfdt.seed=" + SEED);
        Path tree = at.path("tree");
        Trees.file(tree.resolve("big"), 24 * MIB + 1234, 1);
        Trees.file(tree.resolve("middle"), 9 * MIB, 2);
        Trees.manyFiles(tree.resolve("many"), 300, 8000);
        for (int shard = 0; shard < SHARDS; shard++) {
            servers.add(at.server());
        }
        for (int kill = 0; kill < KILLS; kill++) {
            new Kill(tree, kill, new Random(SEED * 1_000_003 + kill)).go();
        }
    }

    /** One job whose runs are killed, the runs after that, and its end. */
    private final class Kill {
        private final Path tree;
        private final int number;
        private final Random random;
        private final Path job;
        private final Path target;
        private final List<Object> plan = new ArrayList<>();
        private final List<Object> options = new ArrayList<>();

        Kill(Path tree, int number, Random random) {
            this.tree = tree;
            this.number = number;
            this.random = random;
            this.job = at.path("job-" + number);
            this.target = at.path("remote/tree");
            options.addAll(List.of("-P", 1 + random.nextInt(4)));
            options.addAll(List.of("--chunk-size", (128 << 10) << random.nextInt(7)));
            options.addAll(List.of("--direct-io", random.nextBoolean() ? "always" : "auto"));
            if (random.nextInt(3) > 0) {
                // The large file is then copied by both.
                plan.addAll(List.of("--split-above", "8MiB"));
            }
            if (random.nextInt(3) == 0) {
                options.addAll(List.of("--checksum", "adler32"));
            }
        }

        void go() throws IOException {
            Shell.removeTree(target);
            List<Object> words = new ArrayList<>(List.of("shard", "plan", tree, "--into", SHARDS, "--out=" + job));
            words.addAll(plan);
            at.fdt(words.toArray()).expectExit(0);
            String event = "kill %d of shards, %s, options %s, -Dfdt.seed=%d".formatted(number, plan, options, SEED);
            List<Outcome> killed = kill();
            try {
                check();
            } catch (RuntimeException | AssertionError failure) {
                killed.forEach(each -> System.err.println(each.transcript()));
                throw new AssertionError(event + ": " + failure.getMessage(), failure);
            }
            System.err.printf(
                    "%s: exits %s%n",
                    event, killed.stream().map(Outcome::exitCode).toList());
            Shell.removeTree(job);
        }

        private Object[] run(int shard, Object... more) {
            List<Object> words = new ArrayList<>(options);
            words.addAll(List.of(more));
            words.addAll(List.of("--shard", job.resolve(String.valueOf(shard))));
            words.add(servers.get(shard).url("/"));
            return words.toArray();
        }

        private List<Outcome> kill() {
            List<FdtProcess> clients = new ArrayList<>();
            for (int shard = 0; shard < SHARDS; shard++) {
                clients.add(at.startCopy(run(shard, "--timeout", "10s", "--rate-limit", BYTES_PER_SECOND)));
            }
            FdtProcess first = clients.get(random.nextInt(SHARDS));
            Await.until(
                    "it has begun",
                    Workplace.LIMIT,
                    () -> first.transcript().contains("\"start\"") || !first.isAlive());
            Await.pass(Duration.ofMillis(random.nextInt(MAX_DELAY_MS)));
            List<FdtProcess> victims = new ArrayList<>(clients);
            servers.forEach(server -> victims.add(server.process()));
            Collections.shuffle(victims, random);
            int count = random.nextInt(3) == 0 ? victims.size() : 1;
            victims.subList(0, count).forEach(FdtProcess::killHard);
            return clients.stream().map(each -> each.await(Workplace.LIMIT)).toList();
        }

        private void check() throws IOException {
            List<Path> missing = FinalNames.missing(tree, null, target);
            servers.replaceAll(server -> server.process().isAlive() ? server : at.server());
            Object url = servers.get(0).url("/");
            if (!missing.isEmpty()) {
                Outcome early = at.fdt("shard", "finish", "--json", job, url);
                // A file that only lacks its name gets it now.
                assertThat(early.exitCode() == 0)
                        .as(early.transcript())
                        .isEqualTo(FinalNames.missing(tree, null, target).isEmpty());
            }
            for (int shard = 0; shard < SHARDS; shard++) {
                Object[] words = run(shard);
                AtomicReference<Outcome> last = new AtomicReference<>();
                // Files and ranges stay locked until the servers have noticed the end of the killed session.
                Await.until("no other run writes", Workplace.LIMIT, () -> {
                    last.set(at.copy(words));
                    return last.get().exitCode() != 11;
                });
                last.get().expectExit(0);
            }
            at.fdt("shard", "finish", "--json", job, url).expectExit(0);
            Trees.assertSame(tree, target);
            at.fdt("verify", "--receipt", job.resolve("receipt.json"), at.path("remote"))
                    .expectExit(0);
            assertThat(at.path("remote")).isDirectoryNotContaining(path -> Files.isRegularFile(path));
        }
    }
}
