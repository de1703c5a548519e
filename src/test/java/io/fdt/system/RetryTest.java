package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A copy with retries survives the end of its server, resumes, and ends with the exit code of its last attempt. */
final class RetryTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    @EachWay
    void resumesWhenAKilledServerIsBack(Direction direction) {
        FdtServer server = at.serverThatComesBack();
        Route direct = new Route(direction, server, server.port(), at.directory("local"));
        Trees.file(direct.sourcePath("tree/big"), 60L * MIB, 1);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port())).throttle(25 * MIB);
        // It must not end before the server is killed.
        CountDownLatch middle = proxy.slowDownAfter(30 * MIB, MIB);
        Route route = direct.through(proxy);
        FdtProcess client =
                at.startCopy("-P", 2, "--timeout", "15s", "--retry", "10m", route.source("tree"), route.target(""));
        Await.until("half of it", middle);
        client.awaitAcknowledged(Workplace.LIMIT, 16 * MIB);
        direct.server().process().killHard();
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("attempt 1 failed"));
        proxy.throttle(0);
        String address = "127.0.0.1:" + direct.server().port();
        at.rootlessServer(
                address, direct.server().root(), "--root", direct.server().root());
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
        assertThat(outcome.number("attempts")).isGreaterThan(1);
        assertThat(outcome.number("bytes_resumed")).isGreaterThanOrEqualTo(8 * MIB);
        assertThat(outcome.jsonOfType("retry")).hasSize((int) outcome.number("attempts") - 1);
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }

    @Test
    void givesUpAtTheLimitWithTheCodeOfTheLastAttemptAndAtOnceOnCtrlC() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.file(route.sourcePath("f"), 1000, 1);
        route.server().process().killHard();
        Outcome limited = at.copy("--retry", "5s", route.source("f"), route.target(""));
        assertThat(limited.expectExit(8).number("attempts")).isBetween(2L, 5L);
        assertThat(limited.errText()).contains("attempt 1 failed: ").contains("; trying again in ");
        FdtProcess endless = at.startCopy("--retry", "forever", route.source("f"), route.target(""));
        endless.awaitErrorLine(Workplace.LIMIT, line -> line.contains("attempt 3 failed"));
        endless.signal("INT");
        endless.await(Workplace.LIMIT).expectExit(130).summary();
    }
}
