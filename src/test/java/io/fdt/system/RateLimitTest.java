package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The actual rate of a copy matches the limit that the user sets. */
@Tag("clock")
final class RateLimitTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    @EachWay
    void rateLimitHoldsWithinFivePercentOverTenSeconds(Direction direction) {
        FdtServer server = at.rootlessServer("127.0.0.1:0", at.directory());
        String source = direction == Direction.PUSH ? "/dev/zero" : server.url("/dev/zero");
        String target = direction == Direction.PUSH ? server.url("/dev/null") : "/dev/null";
        Outcome outcome = at.copy("-P", 4, "--rate-limit", "400Mbit", "--duration", "10s", source, target)
                .expectExit(0);
        double bitsPerSecond = outcome.decimal("bits_per_second");
        assertThat(bitsPerSecond).isBetween(380e6, 420e6);
        double seconds = outcome.decimal("seconds");
        assertThat(outcome.number("bytes_sent") * 8 / seconds).isBetween(380e6, 420e6);
    }

    @Test
    void rateLimitHoldsForFilesToo() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.file(route.sourcePath("f"), 60_000_000, 1);
        Outcome outcome = at.copy("-P", 4, "--rate-limit", "20MB/s", route.source("f"), route.target(""))
                .expectExit(0);
        // Three seconds at this rate. The token bucket may start full, and the start of the JVM is not counted.
        assertThat(outcome.decimal("seconds")).isBetween(2.7, 30.0);
    }
}
