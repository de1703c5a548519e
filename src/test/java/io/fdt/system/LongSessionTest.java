package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One long session on a path with faults: files of holes, of zeros and of data, while connections are cut, stall, and
 * are refused at random moments. {@code scripts/soak} has it take an hour.
 */
@Tag("fault")
@Tag("full")
final class LongSessionTest {
    private static final int SECONDS = Integer.getInteger("fdt.session.seconds", 30);
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int MIB = 1 << 20;
    private static final int BYTES_PER_SECOND = 4 * MIB;
    private static final int FILES = 40;
    private static final int MAX_PAUSE_MS = 20_000;
    private static final int MAX_STALL_MS = 20_000;
    /** A client gives up earlier on a host that refuses connections: the server, and with it the session, is gone. */
    private static final int MAX_REFUSAL_MS = 1_500;

    @RegisterExtension
    final Workplace at = new Workplace();

    @EachWay
    @Timeout(value = 4, unit = TimeUnit.HOURS)
    void oneSessionSurvivesFaultsOfAllKinds(Direction direction) throws IOException {
        Random random = new Random(SEED);
        Route route = Route.of(at, direction);
        Path tree = route.sourcePath("tree");
        for (int i = 0; i < FILES; i++) {
            // Data and zeros, and holes that make terabytes of all together. Half of the time is for what is sent
            // again.
            Path file = Trees.file(tree.resolve("f" + i), (long) SECONDS * BYTES_PER_SECOND / 2 / FILES, i);
            Shell.ok("dd", "if=/dev/zero", "of=" + file, "bs=1M", "count=4", "seek=64", "conv=notrunc", "status=none");
            Shell.ok("truncate", "-s", "100G", file);
        }
        try (FaultProxy proxy = FaultProxy.before(route.server().port())) {
            Route slow = route.through(proxy);
            FdtProcess client =
                    at.startCopy("-P", 4, "--rate-limit", BYTES_PER_SECOND, slow.source("tree"), slow.target(""));
            Await.until("a connection", () -> !proxy.connections().isEmpty() || !client.isAlive());
            int faults = 0;
            while (client.isAlive()) {
                Await.holdsWithin(Duration.ofMillis(random.nextInt(MAX_PAUSE_MS)), () -> !client.isAlive());
                fault(proxy, random, client);
                faults++;
            }
            Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
            System.err.printf(
                    "one %s of %.0f s with %d faults and %d connections, -Dfdt.seed=%d: %d bytes moved, %d resent%n",
                    direction,
                    outcome.decimal("seconds"),
                    faults,
                    proxy.connections().size(),
                    SEED,
                    outcome.number("bytes_durable"),
                    outcome.number("bytes_resent"));
            assertThat(outcome.number("attempts")).as("one session").isEqualTo(1);
        }
        Outcome compared = at.fdt("verify", route.sourcePath("tree"), route.target("tree"));
        compared.expectExit(0);
        Trees.assertSparseFilesStaySparse(tree, route.targetPath("tree"));
    }

    private static void fault(FaultProxy proxy, Random random, FdtProcess client) {
        List<FaultProxy.Connection> all = proxy.connections();
        FaultProxy.Connection one = all.get(Math.max(0, all.size() - 1 - random.nextInt(6)));
        switch (random.nextInt(6)) {
            case 0 -> one.cut(Ending.RESET);
            case 1 -> one.cut(Ending.CLOSE);
            case 2 -> one.stall();
            case 3 -> proxy.cutAll(Ending.RESET);
            case 4 -> {
                proxy.stallAll();
                Await.holdsWithin(Duration.ofMillis(random.nextInt(MAX_STALL_MS)), () -> !client.isAlive());
                all.forEach(FaultProxy.Connection::resume);
            }
            default -> {
                proxy.refuseNew();
                proxy.cutAll(Ending.RESET);
                Await.pass(Duration.ofMillis(random.nextInt(MAX_REFUSAL_MS)));
                proxy.acceptNew();
            }
        }
    }
}
